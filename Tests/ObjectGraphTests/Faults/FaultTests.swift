import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import Testing

@Suite("Faults, the row cache and refreshing")
struct FaultTests {
  @Test("an object that is there is found, one that is gone is an error or a fault that turns out deleted")
  func existence() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      try context.save()
      let id = ada.objectID
      let gone = school.store.id(of: id.entity, 99)
      #expect(try context.existingObject(with: id) === ada)
      let error = #expect(throws: ContextError.self) { try context.existingObject(with: gone) }
      #expect(error?.description.contains("Pupil") == true)
      #expect(context.object(with: gone).isFault)

      context.shouldDeleteInaccessibleFaults = false
      let ghost = context.object(with: gone)
      #expect(ghost["name"] == nil && !ghost.isDeleted && ghost.isFault)
      #expect(throws: ContextError.self) { try context.save() }
      context.shouldDeleteInaccessibleFaults = true
      #expect(ghost["name"] == nil && ghost.isDeleted)
      #expect(context.registeredObjects == [ada])
    }
  }

  @Test("a fault fires from the row in memory, unless it is too old for the context", arguments: StoreKind.allCases)
  func staleness(kind: StoreKind) throws {
    let school = try School(kind)
    let counting = CountingStore(school.store)
    let container = try PersistentContainer(name: "c", model: school.person.model, store: counting)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let ada = school.addPupil(context, "Ada")
      try context.save()
      // Past the container.
      let row = try #require(try school.rows(school.pupil).first)
      var changed = row
      changed.attributes[try #require(ada.entity.attributes.firstIndex { $0.name == "grade" })] = .integer(8)
      var request = SaveRequest()
      request.updated = [changed]
      try school.store.save(request)

      let before = counting.fetchCount
      context.refresh(ada, mergeChanges: false)
      #expect(ada.isFault && ada["grade"] == .integer(1))
      #expect(counting.fetchCount == before)
      context.stalenessInterval = 0
      context.refresh(ada, mergeChanges: false)
      #expect(ada["grade"] == .integer(8))
      #expect(counting.fetchCount == before + 1)
      context.stalenessInterval = 3600
      let other = container.newBackgroundContext()
      try other.performAndWait {
        let mine = try school.first(school.pupil, in: other)
        mine["grade"] = .integer(9)
        try other.save()
      }
      context.refresh(ada, mergeChanges: false)
      #expect(ada["grade"] == .integer(9))
    }
  }

  @Test("the first of several faults to fire brings in the others", arguments: StoreKind.allCases)
  func batches(kind: StoreKind) throws {
    let school = try School(kind)
    let counting = CountingStore(school.store)
    try school.work { context in
      for index in 0..<300 { school.addPupil(context, "Pupil \(index)") }
      try context.save()
    }
    let container = try PersistentContainer(name: "c", model: school.person.model, store: counting)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let ids = try school.rows(school.pupil).map(\.objectID)
      let pupils = context.faults(with: ids)
      #expect(pupils.allSatisfy(\.isFault) && counting.fetchCount == 0)
      for (index, pupil) in pupils.enumerated() { #expect(pupil["name"] == .string("Pupil \(index)")) }
      #expect(counting.fetchCount == 2)
    }
  }

  @Test("refreshing everything keeps unsaved changes and references", arguments: StoreKind.allCases)
  func refreshAll(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let pupils = ["Ada", "Bob", "Cyd"].map { school.addPupil(context, $0) }
      try maths.setObjects(pupils, for: "pupils")
      try context.save()
      pupils[0]["grade"] = .integer(5)
      let club = context.insert(school.club)
      try pupils[1].add(club, to: "clubs")
      context.delete(pupils[2])
      context.processPendingChanges()
      try school.work { other in
        let theirs = try other.fetch(school.all(school.pupil, by: "name"))
        for pupil in theirs[..<2] { pupil["height"] = .double(1.5) }
        let art = school.addCourse(other, 2)
        theirs[0].setObject(art, for: "course")
        try other.save()
      }
      context.refreshAllObjects()
      #expect(pupils[0]["grade"] == .integer(5) && pupils[0]["height"] == .double(1.5))
      #expect(pupils[0].object(for: "course")?["code"] == .integer(2))
      #expect(try pupils[1].objects(for: "clubs") == [club] && club.isInserted)
      #expect(pupils[2].isDeleted)
      #expect(try maths.objects(for: "pupils") == [pupils[1]])
      try context.save()
    }
    let rows = try school.rows(school.pupil)
    #expect(rows.count == 2)
    #expect(rows[0].attributes.contains(.integer(5)) && rows[0].attributes.contains(.double(1.5)))
  }

  @Test("members are known by id without their objects, and asking whether they are loaded loads nothing")
  func relationshipFaults() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      try maths.setObjects(["Ada", "Bob"].map { school.addPupil(context, $0) }, for: "pupils")
      try context.save()
      context.reset()
      let again = try school.first(school.course, in: context)
      #expect(again.hasFault(forRelationshipNamed: "pupils"))
      #expect(again.objectIDs(forRelationshipNamed: "pupils").compactMap(\.primaryKey) == [1, 2])
      #expect(!again.hasFault(forRelationshipNamed: "pupils"))
      #expect(context.registeredObjects == [again])
      let ada = try #require(try again.objects(for: "pupils").first)
      #expect(ada.objectIDs(forRelationshipNamed: "course") == [again.objectID])
      #expect(!ada.hasFault(forRelationshipNamed: "course") && !ada.hasFault(forRelationshipNamed: "locker"))
    }
  }

  @Test("what changed is told against the store and against the beginning of the event", arguments: StoreKind.allCases)
  func changedPropertyValues(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let maths = school.addCourse(context, 1)
      #expect(ada.changedPropertyValuesForCurrentEvent().isEmpty && ada.hasPersistentChangedValues)
      try context.save()
      #expect(!ada.hasPersistentChangedValues)
      ada["grade"] = .integer(2)
      ada["mood"] = .string("sunny")
      ada.setObject(maths, for: "course")
      context.processPendingChanges()
      ada["grade"] = .integer(3)
      #expect(ada.changedPropertyValuesForCurrentEvent() == ["grade": .attribute(.integer(2))])
      #expect(ada.changedPropertyValues() == ["grade": .attribute(.integer(3)), "course": .toOne(maths.objectID)])
      #expect(
        ada.committedPropertyValues(forKeys: ["grade", "course", "nonsense"])
          == ["grade": .attribute(.integer(1)), "course": .toOne(nil)])
      #expect(maths.committedPropertyValues(forKeys: ["pupils"]) == ["pupils": .toMany([])])
      ada["grade"] = .integer(1)
      ada.setObject(nil, for: "course")
      #expect(!ada.hasChanges && !ada.hasPersistentChangedValues && ada["mood"] == .string("sunny"))
    }
  }

  @Test("objects get permanent ids ahead of the save", arguments: StoreKind.allCases)
  func permanentIDs(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      ada.setObject(maths, for: "course")
      try context.obtainPermanentIDs(for: [maths, ada])
      let ids = [maths.objectID, ada.objectID]
      #expect(ids.allSatisfy { !$0.isTemporary } && maths.isInserted)
      #expect(ada.objectID(for: "course") == ids[0])
      #expect(try maths.objectIDs(for: "pupils") == [ids[1]])
      #expect(context.registeredObject(for: ids[1]) === ada)
      try context.save()
      #expect([maths.objectID, ada.objectID] == ids && !context.hasChanges)
      let uri = ids[1].uriRepresentation()
      #expect(uri.absoluteString == "x-coredata://\(school.store.identifier)/Pupil/p1")
      #expect(context.coordinator.managedObjectID(forURIRepresentation: uri) == ids[1])
      let temporary = school.addCourse(context, 2).objectID
      #expect(context.coordinator.managedObjectID(forURIRepresentation: temporary.uriRepresentation()) == temporary)
      let wrong = ["http://a/Pupil/p1", "x-coredata://a/Nobody/p1", "x-coredata://a/Pupil/p0", "x-coredata://a/Pupil"]
      for text in wrong {
        #expect(context.coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: text))) == nil)
      }
    }
    #expect(try school.rows(school.pupil).map(\.toOne).count == 1)
  }

  final class Hooked: ManagedObject {
    var events: [String] = []
    override func willTurnIntoFault() { events.append("will \(self["name"].text)") }
    override func didTurnIntoFault() { events.append("did \(isFault)") }
    override func awake(fromSnapshotEvents reasons: SnapshotEvents) { events.append("awake \(reasons.rawValue)") }
    override func prepareForDeletion() { events.append("prepare \(object(for: "course") != nil)") }
  }

  @Test("objects are told of becoming faults, of other values, and of their deletion")
  func hooks() throws {
    let school = try School(.inMemory, classes: ["Pupil": Hooked.self])
    try school.work { context in
      let ada = try #require(school.addPupil(context, "Ada") as? Hooked)
      ada.setObject(school.addCourse(context, 1), for: "course")
      try context.save()
      context.refresh(ada, mergeChanges: false)
      #expect(ada.events == ["will Ada", "did true"])
      ada["grade"] = .integer(2)
      context.rollback()
      context.refresh(ada, mergeChanges: true)
      context.delete(ada)
      context.delete(ada)
      #expect(
        ada.events.dropFirst(2) == [
          "awake \(SnapshotEvents.rollback.rawValue)", "awake \(SnapshotEvents.refresh.rawValue)", "prepare true",
        ])
    }
  }
}

extension Value {
  var text: String {
    if case .string(let text) = self { text } else { "\(self)" }
  }
}

extension Value? {
  var text: String { (self ?? .null).text }
}
