import CoreDataLayout
import ObjectGraph
import ObjectModel
import Testing

@Suite("Both sides of one-to-one relationships after conflicts")
struct PartnerConflictTests {
  /// Two lockers and two pupils in one context.
  struct Scene {
    let context: ManagedObjectContext
    let school: School
    let lockers: [ManagedObject]
    let mia: ManagedObject
    let tom: ManagedObject
    var a: ManagedObject { lockers[0] }
    var b: ManagedObject { lockers[1] }

    init(_ school: School, _ context: ManagedObjectContext) throws {
      self.school = school
      self.context = context
      lockers = try context.fetch(school.all(school.locker, by: "number"))
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      (mia, tom) = (try #require(pupils.first), try #require(pupils.last))
    }

    /// Who has which locker, as the lockers and as the pupils say it.
    func links() throws -> [String] {
      let lockers = try context.fetch(school.all(school.locker, by: "number"))
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      func text(_ locker: ManagedObject?, _ pupil: ManagedObject?) -> String? {
        guard let locker, let pupil else { return nil }
        return "\(locker.attributeValue("number").number ?? 0) \(pupil["name"].text)"
      }
      let said = lockers.compactMap { text($0, $0.object(for: "owner")) }
      #expect(said == pupils.compactMap { text($0.object(for: "locker"), $0) }.sorted())
      return said
    }

    func give(_ locker: ManagedObject, _ pupil: ManagedObject?) { locker.setObject(pupil, for: "owner") }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var start: @Sendable (Scene) throws -> Void = { _ in }
    let mine: @Sendable (Scene) throws -> Void
    let theirs: @Sendable (Scene) throws -> Void
    let links: [MergePolicy.Kind: [String]]
    var testDescription: String { name }

    static func links(
      trump: [String], store: [String], overwrite: [String]? = nil, rollback: [String]? = nil
    ) -> [MergePolicy.Kind: [String]] {
      [
        .mergeByPropertyObjectTrump: trump, .mergeByPropertyStoreTrump: store, .overwrite: overwrite ?? trump,
        .rollback: rollback ?? store,
      ]
    }
  }

  private static let one: @Sendable (Scene) throws -> Void = { $0.give($0.a, $0.mia) }
  private static let both: @Sendable (Scene) throws -> Void = {
    $0.give($0.a, $0.mia)
    $0.give($0.b, $0.tom)
  }
  private static let swap: @Sendable (Scene) throws -> Void = {
    $0.give($0.a, $0.tom)
    $0.give($0.b, $0.mia)
  }
  private static let toTom: @Sendable (Scene) throws -> Void = { $0.give($0.a, $0.tom) }

  static let cases: [Case] = [
    Case(
      name: "a locker gets two pupils", mine: { $0.give($0.a, $0.mia) }, theirs: toTom,
      links: Case.links(trump: ["1 Mia"], store: ["1 Tom"])),
    Case(
      name: "a pupil gets two lockers", mine: { $0.mia.setObject($0.a, for: "locker") },
      theirs: { $0.mia.setObject($0.b, for: "locker") }, links: Case.links(trump: ["1 Mia"], store: ["2 Mia"])),
    Case(
      name: "cleared here, given away there", start: one, mine: { $0.give($0.a, nil) }, theirs: toTom,
      links: Case.links(trump: [], store: ["1 Tom"])),
    Case(
      name: "given away here, the former owner changed there", start: one, mine: toTom,
      theirs: { $0.mia["grade"] = .integer(9) },
      links: Case.links(trump: ["1 Tom"], store: ["1 Tom"], rollback: ["1 Mia"])),
    Case(
      name: "given away here, the locker changed there", start: one, mine: toTom,
      theirs: { $0.a["number"] = .integer(0) },
      links: Case.links(trump: ["0 Tom"], store: ["0 Tom"], overwrite: ["1 Tom"], rollback: ["0 Mia"])),
    Case(
      name: "given away here, the new owner changed there", start: one, mine: toTom,
      theirs: { $0.tom["grade"] = .integer(9) },
      links: Case.links(trump: ["1 Tom"], store: ["1 Tom"], rollback: ["1 Mia"])),
    Case(
      name: "the owner changed here, the locker given away there", start: one, mine: { $0.mia["grade"] = .integer(9) },
      theirs: toTom, links: Case.links(trump: ["1 Tom"], store: ["1 Tom"], overwrite: ["1 Mia"])),
    Case(
      name: "exchanged here, a locker changed there", start: both, mine: swap, theirs: { $0.a["number"] = .integer(0) },
      links: Case.links(
        trump: ["0 Tom", "2 Mia"], store: ["0 Tom", "2 Mia"], overwrite: ["1 Tom", "2 Mia"],
        rollback: ["0 Mia", "2 Tom"])),
    Case(
      name: "exchanged here, a pupil changed there", start: both, mine: swap, theirs: { $0.mia["grade"] = .integer(9) },
      links: Case.links(trump: ["1 Tom", "2 Mia"], store: ["1 Tom", "2 Mia"], rollback: ["1 Mia", "2 Tom"])),
    Case(
      name: "exchanged here, a locker cleared there", start: both, mine: swap, theirs: { $0.give($0.a, nil) },
      links: Case.links(trump: ["1 Tom", "2 Mia"], store: [], rollback: ["2 Tom"])),
    Case(
      name: "a new locker here, another one there",
      mine: {
        let new = $0.context.insert($0.school.locker)
        new["number"] = .integer(3)
        $0.give(new, $0.mia)
      }, theirs: { $0.give($0.a, $0.mia) }, links: Case.links(trump: ["3 Mia"], store: ["1 Mia"])),
    Case(
      name: "a locker given here was deleted there", mine: one, theirs: { $0.context.delete($0.a) },
      links: Case.links(trump: ["1 Mia"], store: [])),
    Case(
      name: "a pupil who is given a locker here was deleted there", mine: one, theirs: { $0.context.delete($0.mia) },
      links: Case.links(trump: ["1 Mia"], store: [])),
    Case(
      name: "the owner is deleted here, the same one changed there", start: one, mine: { $0.context.delete($0.mia) },
      theirs: { $0.mia["grade"] = .integer(9) }, links: Case.links(trump: [], store: ["1 Mia"])),
  ]

  @Test("agree, in memory as in the store, under every policy", arguments: StoreKind.allCases, cases)
  func agreement(kind: StoreKind, example: Case) throws {
    for (policy, links) in example.links {
      let school = try School(kind)
      try school.work { context in
        for number in 1...2 { context.insert(school.locker)["number"] = .integer(Int64(number)) }
        for name in ["Mia", "Tom"] { school.addPupil(context, name) }
        try context.save()
        try example.start(try Scene(school, context))
        try context.save()
      }
      try school.work { context in
        context.mergePolicy = MergePolicy(policy)
        let scene = try Scene(school, context)
        try example.mine(scene)
        try school.work { other in
          try example.theirs(try Scene(school, other))
          try other.save()
        }
        try context.save()
        let note: Comment = "\(policy)"
        #expect(!context.hasChanges, note)
        #expect(try scene.links() == links, note)
        context.refreshAllObjects()
        #expect(try scene.links() == links, note)
        try school.work { fresh in
          let stored = try Scene(school, fresh).links()
          #expect(stored == links, note)
        }
      }
      if let store = school.store as? SQLiteStore {
        let findings = try StoreChecker.check(path: store.path, model: store.model).findings
        #expect(findings.isEmpty)
      }
    }
  }
}
