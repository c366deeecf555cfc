import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

/// Another object is given the unique key of an object whose members changed at their own side, and nothing else.
@Suite("Keys of owners whose members change")
struct OwnerKeyTests {
  /// How the owner gets a member, who is given its key, and whether that comes first.
  struct Case: Sendable, CustomTestStringConvertible {
    let isToOne: Bool
    let isNew: Bool
    let comesFirst: Bool
    var testDescription: String {
      "\(isToOne ? "chapter" : "tag"), \(isNew ? "new" : "stored")\(comesFirst ? ", first" : "")"
    }

    static let all = [true, false].flatMap { isToOne in
      [true, false].flatMap { isNew in
        [true, false].map { Case(isToOne: isToOne, isNew: isNew, comesFirst: $0) }
      }
    }
  }

  @Test("every merge policy decides who has the key", arguments: StoreKind.allCases, Case.all)
  func policies(kind: StoreKind, example: Case) throws {
    for policy in MergePolicy.Kind.allCases where policy != .error {
      let archive = try Archive(kind)
      let objectWins = policy == .mergeByPropertyObjectTrump || policy == .overwrite
      let note: Comment = "\(policy)"
      try archive.work(MergePolicy(policy)) { context in
        let owner = archive.add(context, "q", title: "owner")
        let other = archive.add(context, "r", title: "other")
        try context.save()
        let member = context.insert(example.isToOne ? archive.chapter : archive.tag)
        func claim() {
          if example.isNew { archive.add(context, "q", title: "other") } else { other["code"] = .string("q") }
        }
        if example.comesFirst { claim() }
        if example.isToOne { member.setObject(owner, for: "book") } else { try member.add(owner, to: "items") }
        if !example.comesFirst { claim() }
        try context.save()
        #expect(!context.hasChanges, note)
        // A stored object that is given the key takes the place of the one that has it.
        #expect(owner.isDeleted == false && (owner.managedObjectContext == nil) == (objectWins && !example.isNew), note)
        if owner.managedObjectContext != nil, policy != .overwrite {
          let members = try owner.objects(for: example.isToOne ? "chapters" : "tags")
          #expect(members == [member], note)
        }
      }
      let items = try archive.items().map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
      let expected =
        switch (objectWins, example.isNew) {
        case (true, true): ["q other", "r other"]
        case (true, false): ["q other"]
        case (false, _): ["q owner", "r other"]
        }
      #expect(items == expected, note)
    }
  }
}
