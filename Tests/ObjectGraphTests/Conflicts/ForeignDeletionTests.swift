import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Links to what another coordinator deleted")
struct ForeignDeletionTests {
  @Test(
    "are given up by the policies that resolve conflicts for the store",
    arguments: [MergePolicy.Kind.rollback, .mergeByPropertyStoreTrump], ["place", "labels"])
  func givenUp(policy: MergePolicy.Kind, link: String) throws {
    let crates = try Crates(.sqlite)
    try crates.inContext { context in
      context.mergePolicy = MergePolicy(policy)
      let crate = crates.add(crates.crate, 1, context)
      let end = crates.add(link == "place" ? crates.crate : crates.label, 2, context)
      try context.save()
      if link == "place" { crate.setObject(end, for: link) } else { try crate.add(end, to: link) }
      try crates.elsewhere { other in
        other.delete(try crates.find(2, other))
        try other.save()
      }
      try context.save()
      #expect(crate.objectIDs(forRelationshipNamed: link) == [])
      #expect(!context.hasChanges)
    }
    #expect(try crates.inContext { try crates.find(1, $0).objectIDs(forRelationshipNamed: link) } == [])
  }
}
