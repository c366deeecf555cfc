import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

/// An object is updated when members come to its to-many relationships or leave them, whichever side says so.
@Suite("Owners whose members change")
struct OwnerUpdateTests {
  /// What a change of members is.
  enum Change: CaseIterable, Sendable {
    case insertion, join, leave, deletion, move, bySet, manyToMany, manyToManyBack
  }

  /// The versions of courses and clubs by code or name, and the codes of those that a save told of.
  private struct Scene {
    let school: School
    let context: ManagedObjectContext
    let courses: [ManagedObject]
    let ada: ManagedObject
    let bob: ManagedObject
    let club: ManagedObject

    init(
      school: School, context: ManagedObjectContext, courses: [ManagedObject], ada: ManagedObject, bob: ManagedObject,
      club: ManagedObject
    ) {
      (self.school, self.context, self.courses) = (school, context, courses)
      (self.ada, self.bob, self.club) = (ada, bob, club)
    }

    init(_ school: School, _ context: ManagedObjectContext) throws {
      self.school = school
      self.context = context
      courses = [1, 2].map { school.addCourse(context, $0) }
      (ada, bob) = (school.addPupil(context, "Ada"), school.addPupil(context, "Bob"))
      ada.setObject(courses[0], for: "course")
      club = context.insert(school.club)
      try context.save()
    }

    /// - Returns: the objects that have to be updated as owners.
    func apply(_ change: Change) throws -> (owners: [ManagedObject], relationship: String) {
      switch change {
      case .insertion:
        school.addPupil(context, "Cyd").setObject(courses[1], for: "course")
        return ([courses[1]], "pupils")
      case .join:
        bob.setObject(courses[1], for: "course")
        return ([courses[1]], "pupils")
      case .leave:
        ada.setObject(nil, for: "course")
        return ([courses[0]], "pupils")
      case .deletion:
        context.delete(ada)
        context.processPendingChanges()
        return ([courses[0]], "pupils")
      case .move:
        ada.setObject(courses[1], for: "course")
        return (courses, "pupils")
      case .bySet:
        try courses[1].add(ada, to: "pupils")
        return (courses, "pupils")
      case .manyToMany:
        try bob.add(club, to: "clubs")
        return ([club], "members")
      case .manyToManyBack:
        try club.add(bob, to: "members")
        return ([club], "members")
      }
    }
  }

  private static func version(_ school: School, _ object: ManagedObject) throws -> Int64 {
    try #require(try school.rows(object.entity).first { $0.objectID == object.objectID }).version
  }

  @Test(
    "are updated objects: in the context, in the save's notification and in the store", arguments: StoreKind.allCases,
    Change.allCases)
  func updated(kind: StoreKind, change: Change) throws {
    let school = try School(kind)
    let log = Box<Set<ObjectID>>()
    let observer = NotificationTests.Observer()
    try school.work { context in
      let scene = try Scene(school, context)
      let all = scene.courses + [scene.club]
      let (owners, relationship) = try scene.apply(change)
      #expect(context.hasChanges)
      for object in all {
        let isOwner = owners.contains(object)
        #expect(object.isUpdated == isOwner && object.hasChanges == isOwner)
        #expect(object.hasPersistentChangedValues == isOwner)
        #expect(context.updatedObjects.contains(object) == isOwner)
        #expect(object.changedRelationships == (isOwner ? [relationship] : []))
        let expected = isOwner ? try object.objectIDs(for: relationship) : nil
        #expect(object.changedPropertyValues()[relationship] == expected.map { .toMany($0) })
      }
      if change == .manyToMany || change == .manyToManyBack { #expect(scene.bob.isUpdated) }
      observer.on(ManagedObjectContext.didSaveObjectsNotification, context) { notification in
        log.value = Set(notification.contextChanges?.ids.updatedObjectIDs ?? [])
      }
      try context.save()
      #expect(!context.hasChanges && context.updatedObjects.isEmpty)
      for object in all {
        let isOwner = owners.contains(object)
        #expect(log.value?.contains(object.objectID) == isOwner)
        #expect(try Self.version(school, object) == (isOwner ? 2 : 1))
      }
      // The context knows the new version.
      for object in all where object.entity == school.course { object["title"] = .string("x") }
      try context.save()
    }
  }

  @Test("are not updated by what is taken back", arguments: StoreKind.allCases, Change.allCases)
  func takenBack(kind: StoreKind, change: Change) throws {
    let school = try School(kind)
    try school.work { context in
      context.undoManager = ContextUndoManager()
      let scene = try Scene(school, context)
      context.processPendingChanges()
      context.undoManager?.removeAllActions()
      let (owners, _) = try scene.apply(change)
      context.processPendingChanges()
      context.undo()
      #expect(context.updatedObjects.isEmpty && !context.hasChanges)
      for owner in owners { #expect(!owner.isUpdated && owner.changedPropertyValues().isEmpty) }
      context.redo()
      for owner in owners { #expect(owner.isUpdated) }
      context.undo()
      try context.save()
      for owner in owners { #expect(try Self.version(school, owner) == 1) }
      context.redo()
      try context.save()
      for owner in owners { #expect(try Self.version(school, owner) == 2) }
      context.undo()
      for owner in owners { #expect(owner.isUpdated) }
      context.rollback()
      #expect(!context.hasChanges && owners.allSatisfy { !$0.isUpdated })
    }
  }

  @Test("that are not loaded are loaded by the save, with one fetch", arguments: StoreKind.allCases)
  func faults(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for code in 1...50 { _ = school.addCourse(context, Int64(code)) }
      try context.save()
    }
    let ids = try school.store.objectIDs(FetchSpecification(school.course))
    let (counting, container) = try school.counted()
    let context = container.newBackgroundContext(name: "faults")
    try context.performAndWait {
      for (number, id) in ids.enumerated() {
        school.addPupil(context, "Pupil \(number)").setObjectID(id, for: "course")
      }
      context.processPendingChanges()
      let before = counting.fetchCount
      try context.save()
      #expect(counting.fetchCount - before <= 1 && counting.memberCount <= 50)
    }
    #expect(try school.rows(school.course).allSatisfy { $0.version == 2 })
  }

  @Test("go up through parents, each context for itself", arguments: StoreKind.allCases, Change.allCases)
  func children(kind: StoreKind, change: Change) throws {
    let school = try School(kind)
    try school.work { context in _ = try Scene(school, context) }
    let root = school.container.newBackgroundContext(name: "root")
    let child = ManagedObjectContext(parent: root, name: "child")
    let owners = Box<[ObjectID]>()
    try child.performAndWait {
      let courses = try child.fetch(school.all(school.course, by: "code"))
      let pupils = try child.fetch(school.all(school.pupil, by: "name"))
      let club = try #require(try child.fetch(school.all(school.club)).first)
      let scene = Scene(
        school: school, context: child, courses: courses, ada: pupils[0], bob: pupils[1], club: club)
      let changed = try scene.apply(change).owners
      #expect(changed.filter(\.isUpdated) == changed)
      owners.value = changed.map(\.objectID)
      try child.save()
      #expect(!child.hasChanges && changed.allSatisfy { !$0.isUpdated })
    }
    try root.performAndWait {
      let changed = (owners.value ?? []).map { root.object(with: $0) }
      #expect(changed.filter(\.isUpdated) == changed && Set(changed).isSubset(of: root.updatedObjects))
      try root.save()
      for owner in changed { #expect(try Self.version(school, owner) == 2) }
    }
  }

  final class Counted: ManagedObject {
    override func willSave() {
      super.willSave()
      let count = members(of: "pupils").count
      if self["title"] != .string("\(count)") { self["title"] = .string("\(count)") }
    }
  }

  @Test("are told of the save, and may count their members there", arguments: StoreKind.allCases)
  func hook(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Course": Counted.self])
    try school.work { context in
      let scene = try Scene(school, context)
      scene.bob.setObject(scene.courses[1], for: "course")
      scene.ada.setObject(scene.courses[1], for: "course")
      try context.save()
      #expect(scene.courses.map { $0["title"] } == [.string("0"), .string("2")])
      context.delete(scene.ada)
      try context.save()
    }
    let counts = try school.rows(school.course).flatMap { $0.attributes.map(\.text) }
    #expect(counts.contains("0") && counts.contains("1"))
  }

  // MARK: - Several contexts

  enum Side: CaseIterable, Sendable { case member, owner, unloaded }

  struct Resolution: Sendable, CustomTestStringConvertible {
    let policy: MergePolicy.Kind
    let side: Side
    var testDescription: String { "\(policy) \(side)" }
  }

  static let resolutions = Side.allCases.flatMap { side in
    MergePolicy.Kind.allCases.filter { $0 != .error }.map { Resolution(policy: $0, side: side) }
  }

  @Test(
    "get the members of all contexts under every policy but the strict one", arguments: StoreKind.allCases, resolutions)
  func concurrent(kind: StoreKind, example: Resolution) throws {
    let (policy, side) = (example.policy, example.side)
    let school = try School(kind)
    try school.work { context in _ = try Scene(school, context) }
    try school.work { mine in
      mine.mergePolicy = MergePolicy(policy)
      let course = try #require(try mine.fetch(school.all(school.course, by: "code")).first)
      let id = course.objectID
      _ = course["code"]
      if side != .unloaded { _ = try course.objects(for: "pupils") }
      try school.work { theirs in
        let same = theirs.object(with: id)
        school.addPupil(theirs, "Cyd").setObject(same, for: "course")
        // What others changed of the owner itself stays, too.
        if side == .owner { same["title"] = .string("theirs") }
        try theirs.save()
      }
      let dan = school.addPupil(mine, "Dan")
      if side == .owner { try course.add(dan, to: "pupils") } else { dan.setObject(course, for: "course") }
      if side == .member { course["title"] = .string("mine") }
      try mine.save()
      #expect(!mine.hasChanges)
      #expect(try course.objects(for: "pupils").map { $0["name"].text }.sorted() == ["Ada", "Cyd", "Dan"])
    }
    let row = try #require(try school.rows(school.course).first { $0.version > 1 })
    #expect(row.version == 3)
    #expect(row.attributes.contains(.string("mine")) == (side == .member))
    #expect(row.attributes.contains(.string("theirs")) == (side == .owner))
  }

  @Test(
    "make a conflict under the strict policy, which says who came and went", arguments: StoreKind.allCases,
    [true, false])
  func strict(kind: StoreKind, isLoaded: Bool) throws {
    let school = try School(kind)
    try school.work { context in _ = try Scene(school, context) }
    try school.work { mine in
      let course = try #require(try mine.fetch(school.all(school.course, by: "code")).first)
      if isLoaded { _ = try course.objects(for: "pupils") } else { _ = course["code"] }
      let id = course.objectID
      let cyd = Box<ObjectID>()
      try school.work { theirs in
        let pupil = school.addPupil(theirs, "Cyd")
        pupil.setObjectID(id, for: "course")
        try theirs.save()
        cyd.value = pupil.objectID
      }
      let ada = try #require(try mine.fetch(school.all(school.pupil, by: "name")).first)
      ada.setObject(nil, for: "course")
      let dan = school.addPupil(mine, "Dan")
      dan.setObject(course, for: "course")
      let error = #expect(throws: SaveConflictError.self) { try mine.save() }
      let conflict = try #require(error?.optimisticLockingConflicts.first)
      #expect(error?.optimisticLockingConflicts.count == 1 && conflict.sourceObject === course)
      let members = try #require(conflict.memberConflicts.first)
      #expect(members.relationshipName == "pupils")
      #expect(members.addedHere == [dan.objectID] && members.removedHere == [ada.objectID])
      // The number of pupils is limited, so that the save loads them.
      #expect(members.addedByOthers == (isLoaded ? [cyd.value].compactMap { $0 } : []))
      #expect(members.persistedMembers == [ada.objectID, cyd.value])
      #expect(error.map { "\($0)".contains("pupils (added here: Pupil (new), removed here: Pupil 1") } == true)
      // Nothing was written, and a policy that merges resolves it.
      #expect(try school.rows(school.pupil).count == 3)
      mine.mergePolicy = .rollback
      try mine.save()
      #expect(try course.objects(for: "pupils").map { $0["name"].text }.sorted() == ["Cyd", "Dan"])
    }
  }

  @Test("that are deleted while others give them members leave none of these behind", arguments: StoreKind.allCases)
  func deletedOwner(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in _ = try Scene(school, context) }
    try school.work { mine in
      mine.mergePolicy = .mergeByPropertyObjectTrump
      let course = try #require(try mine.fetch(school.all(school.course, by: "code")).first)
      let id = course.objectID
      mine.delete(course)
      mine.processPendingChanges()
      try school.work { theirs in
        school.addPupil(theirs, "Cyd").setObjectID(id, for: "course")
        try theirs.save()
      }
      try mine.save()
    }
    #expect(try school.rows(school.course).count == 1)
    #expect(try school.rows(school.pupil).allSatisfy { $0.toOne.allSatisfy { $0 == nil } })
  }

  @Test("are brought up to date where saves are merged", arguments: StoreKind.allCases, Change.allCases)
  func merged(kind: StoreKind, change: Change) throws {
    let school = try School(kind)
    let reader = school.container.newBackgroundContext(name: "reader")
    let observer = NotificationTests.Observer()
    try school.work { context in
      let scene = try Scene(school, context)
      let held = Box<[ManagedObject]>()
      try reader.performAndWait {
        let owners = try reader.fetch(school.all(school.course)) + reader.fetch(school.all(school.club))
        for owner in owners { _ = try owner.objects(for: owner.entity == school.club ? "members" : "pupils") }
        held.value = owners
      }
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, context) { notification in
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: notification) }
      }
      let (owners, relationship) = try scene.apply(change)
      try context.save()
      try reader.performAndWait {
        for owner in owners {
          let object = reader.object(with: owner.objectID)
          let expected = try owner.objectIDs(for: relationship)
          #expect(try object.objectIDs(for: relationship) == expected)
          // No conflict with what was merged.
          if object.entity == school.course { object["title"] = .string("reader") }
        }
        try reader.save()
      }
    }
  }

  @Test(
    "an object is saved again and again for its members, in a store under construction too", arguments: [false, true])
  func again(isUnderConstruction: Bool) throws {
    var options = SQLiteStore.Options()
    options.isUnderConstruction = isUnderConstruction
    let folder = try TemporaryFolder()
    let school = try School(.inMemory)
    let store = try SQLiteStore.create(
      path: folder.path + "/again.sqlite", model: school.course.model, options: options)
    let container = try PersistentContainer(name: "again", model: school.course.model, store: store)
    let context = container.newBackgroundContext(name: "again")
    try context.performAndWait {
      let pupil = school.addPupil(context, "Ada")
      try context.save()
      for count in 1...3 {
        try pupil.add(context.insert(school.club), to: "clubs")
        try context.save()
        #expect(try pupil.objects(for: "clubs").count == count)
      }
      context.reset()
      let again = try #require(try context.fetch(school.all(school.pupil)).first)
      try again.add(context.insert(school.club), to: "clubs")
      try context.save()
      #expect(try store.snapshots(FetchSpecification(school.pupil)).map(\.version) == [5])
    }
  }
}
