import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("Links to what others deleted")
struct GoneLinkTests {
  enum Link: CaseIterable {
    case toOne, oneToOne, toMany, byKey
  }

  struct Place: Sendable, CustomTestStringConvertible {
    let kind: StoreKind
    let isHeld: Bool
    var testDescription: String { "\(kind), \(isHeld ? "held" : "not held")" }
    static let all = StoreKind.allCases.flatMap { kind in [true, false].map { Place(kind: kind, isHeld: $0) } }
  }

  /// Links Ada to another object, which others delete.
  private func link(
    _ link: Link, _ school: School, _ context: ManagedObjectContext, isHeld: Bool,
    _ save: (ManagedObject) throws -> Void
  ) throws {
    let (entity, name) =
      switch link {
      case .toOne, .byKey: (school.course, "course")
      case .oneToOne: (school.locker, "locker")
      case .toMany: (school.club, "clubs")
      }
    var held: [ManagedObject] = []
    func make() throws -> (ada: ManagedObject, id: ObjectID) {
      let end = try #require(try context.fetch(FetchSpecification(entity)).first)
      let ada = try school.first(school.pupil, in: context)
      switch link {
      case .toOne, .oneToOne: ada.setObject(end, for: name)
      case .byKey: ada.setValue(end, forKey: name)
      case .toMany: try ada.add(end, to: name)
      }
      if isHeld { held.append(end) }
      return (ada, end.objectID)
    }
    let (ada, id) = try make()
    try school.work { other in
      other.delete(try other.existingObject(with: id))
      try other.save()
    }
    try save(ada)
    withExtendedLifetime(held) {}
  }

  private func fill(_ school: School) throws {
    try school.work { context in
      school.addPupil(context, "Ada")
      _ = school.addCourse(context, 1)
      for entity in [school.locker, school.club] { _ = context.insert(entity) }
      try context.save()
    }
  }

  @Test(
    "are the same conflict, and resolved in the same way, whether the program holds the destination or not",
    arguments: Place.all, Link.allCases)
  func conflicts(place: Place, link kind: Link) throws {
    for policy in MergePolicy.Kind.allCases {
      let school = try School(place.kind)
      try fill(school)
      try school.work { context in
        context.mergePolicy = MergePolicy(policy)
        try link(kind, school, context, isHeld: place.isHeld) { ada in
          let note: Comment = "\(policy)"
          if policy == .error {
            let error = #expect(throws: SaveConflictError.self, note) { try context.save() }
            #expect(error?.optimisticLockingConflicts.map(\.newVersion).contains(nil) == true, note)
            return
          }
          try context.save()
          let isBack = policy == .mergeByPropertyObjectTrump || policy == .overwrite
          let names = ["course", "locker", "clubs"]
          let ends = names.flatMap { ada.objectIDs(forRelationshipNamed: $0) }
          #expect(!context.hasChanges && ends.count == (isBack ? 1 : 0), note)
          let id = ada.objectID
          try school.work { fresh in
            let stored = try fresh.existingObject(with: id)
            #expect(names.flatMap { stored.objectIDs(forRelationshipNamed: $0) } == ends, note)
          }
        }
      }
    }
  }

  @Test(
    "of a relationship that must lead somewhere are a problem of the save also where the store wins",
    arguments: StoreKind.allCases, [MergePolicy.Kind.mergeByPropertyStoreTrump, .rollback])
  func required(kind: StoreKind, policy: MergePolicy.Kind) throws {
    let school = try School(kind)
    let lesson = try school.container.persistentStoreCoordinator.model.required("Lesson")
    try fill(school)
    try school.work { context in
      context.mergePolicy = MergePolicy(policy)
      let course = try school.first(school.course, in: context)
      context.insert(lesson).setObject(course, for: "course")
      let id = course.objectID
      try school.work { other in
        other.delete(try other.existingObject(with: id))
        try other.save()
      }
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deletedDestination])
    }
    #expect(try school.rows(lesson).isEmpty)
  }

  @Test("that a merge told of are given up where the store wins", arguments: StoreKind.allCases)
  func merged(kind: StoreKind) throws {
    let school = try School(kind)
    try fill(school)
    try school.work { context in
      context.mergePolicy = .mergeByPropertyStoreTrump
      let course = try school.first(school.course, in: context)
      let ada = try school.first(school.pupil, in: context)
      ada.setObject(course, for: "course")
      ada["grade"] = .integer(4)
      let id = course.objectID
      try school.work { other in
        other.delete(try other.existingObject(with: id))
        try other.save()
      }
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: ContextChangeIDs(deleted: [id]), into: [context])
      try context.save()
      #expect(ada.objectID(for: "course") == nil && ada["grade"] == .integer(4) && !context.hasChanges)
      // What is known to be gone is a mistake of the program under every policy.
      ada.setObjectID(id, for: "course")
      #expect(throws: ValidationError.self) { try context.save() }
    }
  }

  /// What is changed of a pupil and her course, and the grade in the end, nil where she is gone.
  struct Dangling: Sendable, CustomTestStringConvertible {
    let name: String
    let mine: @Sendable (ManagedObjectContext, ManagedObject, ManagedObject) -> Void
    let theirs: @Sendable (ManagedObjectContext, ManagedObject, ManagedObject) -> Void
    let grades: [MergePolicy.Kind: Int?]
    var testDescription: String { name }
  }

  static let dangling: [Dangling] = [
    Dangling(
      name: "the course deleted here, the pupil changed there", mine: { context, _, course in context.delete(course) },
      theirs: { _, ada, _ in ada["grade"] = .integer(9) },
      grades: [.mergeByPropertyObjectTrump: 9, .mergeByPropertyStoreTrump: 9, .overwrite: 1, .rollback: 9]),
    Dangling(
      name: "the pupil changed here, the course deleted there", mine: { _, ada, _ in ada["grade"] = .integer(5) },
      theirs: { context, _, course in context.delete(course) },
      grades: [.mergeByPropertyObjectTrump: 5, .mergeByPropertyStoreTrump: 5, .overwrite: 5, .rollback: 1]),
    Dangling(
      name: "the pupil changed here, both deleted there", mine: { _, ada, _ in ada["grade"] = .integer(5) },
      theirs: { context, ada, course in
        context.delete(course)
        context.delete(ada)
      },
      grades: [.mergeByPropertyObjectTrump: 5, .mergeByPropertyStoreTrump: nil, .overwrite: 5, .rollback: nil]),
  ]

  @Test("that were not changed here never outlast the deletion", arguments: StoreKind.allCases, dangling)
  func neverDangling(kind: StoreKind, example: Dangling) throws {
    for (policy, grade) in example.grades {
      let school = try School(kind)
      try fill(school)
      @Sendable func pair(_ context: ManagedObjectContext) throws -> (ManagedObject, ManagedObject) {
        let ada = try school.first(school.pupil, in: context)
        return (ada, try school.first(school.course, in: context))
      }
      try school.work { context in
        let (ada, course) = try pair(context)
        ada.setObject(course, for: "course")
        try context.save()
      }
      try school.work { context in
        context.mergePolicy = MergePolicy(policy)
        let (ada, course) = try pair(context)
        #expect(try course.objects(for: "pupils") == [ada])
        example.mine(context, ada, course)
        try school.work { other in
          let (theirs, course) = try pair(other)
          example.theirs(other, theirs, course)
          try other.save()
        }
        try context.save()
        let note: Comment = "\(policy)"
        #expect(!context.hasChanges && ada.isDeleted == (grade == nil), note)
        if grade != nil { #expect(ada.objectID(for: "course") == nil, note) }
      }
      let rows = try school.rows(school.pupil)
      #expect(rows.allSatisfy { $0.toOne.allSatisfy { $0 == nil } })
      let place = school.pupil.attributes.firstIndex { $0.name == "grade" }
      #expect(rows.map { row in place.flatMap { row.attributes[$0].number } } == (grade == nil ? [] : [grade]))
      #expect(try school.rows(school.course).isEmpty)
    }
  }

  @Test("a context does not keep what is set and was there already")
  func unchangedLinks() throws {
    let school = try School(.sqlite)
    try fill(school)
    @Sendable func link(_ context: ManagedObjectContext) throws {
      let course = try school.first(school.course, in: context)
      try school.first(school.pupil, in: context).setObject(course, for: "course")
    }
    try school.work { context in
      try link(context)
      try context.save()
    }
    let context = school.container.newBackgroundContext(name: "unchanged")
    try context.performAndWait { try link(context) }
    context.performAndWait { #expect(context.registeredObjects.isEmpty && !context.hasChanges) }
  }

  @Test(
    "that a merge told of are gone, though others' object is back when the save comes", arguments: StoreKind.allCases)
  func back(kind: StoreKind) throws {
    let school = try School(kind)
    try fill(school)
    try school.work { context in
      context.mergePolicy = .mergeByPropertyStoreTrump
      let ada = try school.first(school.pupil, in: context)
      let id = try school.first(school.course, in: context).objectID
      ada.setObject(context.object(with: id), for: "course")
      try school.work { other in
        other.mergePolicy = .overwrite
        let course = try other.existingObject(with: id)
        course["code"] = .integer(7)
        try school.work { third in
          third.delete(try third.existingObject(with: id))
          try third.save()
        }
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: ContextChangeIDs(deleted: [id]), into: [context])
        try other.save()
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: ContextChangeIDs(inserted: [id]), into: [context])
      }
      try context.save()
      #expect(ada.objectID(for: "course") == nil && !context.hasChanges)
      // It can be set again.
      ada.setObject(context.object(with: id), for: "course")
      try context.save()
    }
    #expect(try school.rows(school.pupil).first?.toOne.contains { $0 != nil } == true)
  }

  @Test("a context keeps what its changes lead to until they are saved or taken back", arguments: [true, false])
  func kept(isSaved: Bool) throws {
    let school = try School(.sqlite)
    try fill(school)
    let context = school.container.newBackgroundContext(name: "keeping")
    try context.performAndWait {
      let course = try school.first(school.course, in: context)
      try school.first(school.pupil, in: context).setObject(course, for: "course")
    }
    try context.performAndWait {
      #expect(context.registeredObjects.count == 2)
      if isSaved { try context.save() } else { context.rollback() }
    }
    context.performAndWait { #expect(context.registeredObjects.isEmpty) }
  }
}
