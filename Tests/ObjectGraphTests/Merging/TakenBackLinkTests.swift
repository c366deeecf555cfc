import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Merges after links that were set and taken back")
struct TakenBackLinkTests {
  enum Loading: CaseIterable {
    case never, before, after
  }

  /// Another context puts crate 1 into crate 2, or takes it out; this one has the older row of crate 1.
  private func merge(
    _ kind: StoreKind, _ loading: Loading, isMember: Bool,
    _ check: (Crates, ManagedObjectContext, _ crate: ManagedObject, _ place: ManagedObject) throws -> Void
  ) throws {
    let crates = try Crates(kind)
    try crates.inContext { context in
      let (crate, place) = (crates.add(crates.crate, 1, context), crates.add(crates.crate, 2, context))
      if !isMember { crate.setObject(place, for: "place") }
      try context.save()
      context.refresh(place, mergeChanges: false)
      try crates.inContext { other in
        try crates.find(1, other).setObject(isMember ? try crates.find(2, other) : nil, for: "place")
        try other.save()
      }
      if loading == .before { _ = try place.objects(for: "contents") }
      crate.setObject(isMember ? place : nil, for: "place")
      context.processPendingChanges()
      crate.setObject(isMember ? nil : place, for: "place")
      if loading == .after { _ = try place.objects(for: "contents") }
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: ContextChangeIDs(updated: [crate.objectID, place.objectID], relationshipOwners: []),
        into: [context])
      try check(crates, context, crate, place)
    }
  }

  @Test("give both sides of the link what the store has", arguments: StoreKind.allCases, Loading.allCases)
  func bothSides(kind: StoreKind, loading: Loading) throws {
    for isMember in [true, false] {
      try merge(kind, loading, isMember: isMember) { crates, context, crate, place in
        #expect(crate.object(for: "place") === (isMember ? place : nil))
        let contents = try crates.numbers("contents", of: place)
        #expect(contents == (isMember ? [1] : []))
        #expect(!context.hasChanges)
      }
    }
  }

  @Test("leave no member behind that a cascade should reach", arguments: StoreKind.allCases, Loading.allCases)
  func cascade(kind: StoreKind, loading: Loading) throws {
    try merge(kind, loading, isMember: true) { crates, context, crate, place in
      context.delete(place)
      try context.save()
      #expect(try crates.inContext { try $0.count(FetchSpecification(crates.crate)) } == 0)
    }
  }
}
