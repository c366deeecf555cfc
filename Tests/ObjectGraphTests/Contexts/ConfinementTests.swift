import Diagnostics
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Synchronization
import Testing

@Suite("Queues")
struct ConfinementTests {
  @Test("perform runs on the context's queue, and performAndWait may be nested, also across contexts")
  func nesting() async throws {
    let school = try School(.inMemory)
    let first = school.container.newBackgroundContext()
    let second = school.container.newBackgroundContext()
    let count = try await first.perform {
      school.addPupil(first, "Ada")
      return try first.performAndWait {
        try second.performAndWait {
          school.addPupil(second, "Bob")
          try second.save()
          return try first.performAndWait {
            try first.save()
            return try first.count(FetchSpecification(school.pupil))
          }
        }
      }
    }
    #expect(count == 2)
  }

  @Test("work on the main queue processes its changes when the outermost ends", arguments: StoreKind.allCases)
  func mainQueueEvents(kind: StoreKind) async throws {
    let school = try School(kind)
    let main = school.container.viewContext
    try await MainActor.run {
      main.undoManager = ContextUndoManager()
      let observer = NotificationTests.Observer()
      let log = Log()
      observer.on(ManagedObjectContext.didChangeObjectsNotification, main) { _ in log.add("changed") }
      let ada = Box<ManagedObject>()
      main.performAndWait {
        main.performAndWait { _ = school.addCourse(main, 1) }
        #expect(log.lines.isEmpty)
        ada.value = school.addPupil(main, "Ada")
      }
      #expect(log.lines == ["changed"])
      main.performAndWait { ada.value?["grade"] = .integer(5) }
      #expect(log.lines.count == 2)
      main.undo()
      #expect(ada.value?["grade"] == .integer(1))
      try main.save()
      try main.performAndWait {
        let course = try #require(try main.fetch(school.all(school.course)).first)
        ada.value?.setObject(course, for: "course")
        try main.save()
        main.delete(course)
      }
      #expect(ada.value?.objectID(for: "course") == nil && main.deletedObjects.count == 1)
    }
  }

  /// Has what follows run in another turn of the main queue.
  @MainActor private func anotherTurn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume() }
    }
  }

  @Test("a private queue that the main actor waits for may use the main queue's objects", arguments: StoreKind.allCases)
  @MainActor func callsBackIntoMainQueue(kind: StoreKind) async throws {
    let school = try School(kind)
    let view = school.container.viewContext
    let ada = school.addPupil(view, "Ada")
    try view.save()
    let id = ada.objectID
    // Only from here on does Linux drain the main queue on another thread than the first.
    await anotherTurn()
    let child = ManagedObjectContext(parent: view, name: "child")
    let grandchild = ManagedObjectContext(parent: child, name: "grandchild")
    for grade in [Int64(2), 3] {
      try grandchild.performAndWait {
        try grandchild.existingObject(with: id)["grade"] = .integer(grade)
        try grandchild.save()
      }
      try child.performAndWait { try child.save() }
      #expect(ada["grade"] == .integer(grade))
    }
    let background = school.container.newBackgroundContext()
    let other = ManagedObjectContext(.mainQueue, parent: view, name: "other")
    try background.performAndWait {
      #expect(ada["name"] == .string("Ada"))
      try other.performAndWait {
        let saved = try background.performAndWait { try background.existingObject(with: id)["grade"] }
        #expect(saved == .integer(1))
        #expect(try other.existingObject(with: id)["grade"] == .integer(3))
      }
      #expect(ada["grade"] == .integer(3))
    }
  }

  @Test("while the main actor waits for a private queue, other threads wait for the main queue")
  @MainActor func othersStayOut() async throws {
    let school = try School(.inMemory)
    let view = school.container.viewContext
    let background = school.container.newBackgroundContext()
    await anotherTurn()
    let isInside = Atomic(false)
    for _ in 0..<3 {
      let begins = DispatchSemaphore(value: 0)
      let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
      Thread.detachNewThread {
        begins.signal()
        answer.yield(view.performAndWait { isInside.load(ordering: .relaxed) })
      }
      background.performAndWait {
        isInside.store(true, ordering: .relaxed)
        begins.wait()
        // Many opportunities to get in between.
        for number in 0..<500 { view.performAndWait { _ = school.addPupil(view, "Ada \(number)") } }
        isInside.store(false, ordering: .relaxed)
      }
      for await wasInside in answers.prefix(1) { #expect(!wasInside) }
    }
  }

  @Test("errors pass through perform and performBackgroundTask")
  func errors() async throws {
    struct Failure: Error {}
    let school = try School(.inMemory)
    await #expect(throws: Failure.self) { try await school.container.performBackgroundTask { _ in throw Failure() } }
    let context = school.container.newBackgroundContext()
    #expect(throws: Failure.self) { try context.performAndWait { throw Failure() } }
  }

  @Test("many tasks may use one context; its queue puts them in a row")
  func serial() async throws {
    let school = try School(.inMemory)
    let context = school.container.newBackgroundContext()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<50 {
        group.addTask {
          try await context.perform {
            school.addPupil(context, "Pupil \(index)")
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try school.rows(school.pupil).count == 50)
  }

  // MARK: - Debugging

  @Test(
    "debugging is on in debug builds, and in others when a variable or an argument says so",
    arguments: [(true, nil, true), (false, nil, false), (false, "1", true), (true, "0", false), (false, "yes", false)])
  func debugging(isDebugBuild: Bool, level: String?, expected: Bool) {
    let settings = [
      DebugSettings(arguments: [], environment: level.map { ["SEEDBED_CONCURRENCY_DEBUG": $0] } ?? [:]),
      DebugSettings(arguments: level.map { ["-com.apple.CoreData.ConcurrencyDebug", $0] } ?? [], environment: [:]),
    ]
    for settings in settings {
      #expect(ConcurrencyDebugging.isEnabled(isDebugBuild: isDebugBuild, settings) == expected)
    }
  }

  /// What is done outside of the queue.
  enum Use: String, CaseIterable, Codable, Sendable {
    case value, setValue, isFault, isInserted, isUpdated, isDeleted, objectChanges, relationship
    case fetch, save, contextChanges, insert, mergePolicy, setMergePolicy, undoManager, staleness

    var isOfObject: Bool { Self.allCases.firstIndex(of: self).map { $0 < 8 } ?? false }

    func apply(_ pupil: ManagedObject, _ context: ManagedObjectContext, _ school: School) throws {
      switch self {
      case .value: _ = pupil["name"]
      case .setValue: pupil["name"] = .string("Bob")
      case .isFault: _ = pupil.isFault
      case .isInserted: _ = pupil.isInserted
      case .isUpdated: _ = pupil.isUpdated
      case .isDeleted: _ = pupil.isDeleted
      case .objectChanges: _ = pupil.hasChanges
      case .relationship: _ = pupil.objectID(for: "course")
      case .fetch: _ = try context.fetch(FetchSpecification(school.pupil))
      case .save: try context.save()
      case .contextChanges: _ = context.hasChanges
      case .insert: _ = context.insert(school.pupil)
      case .mergePolicy: _ = context.mergePolicy
      case .setMergePolicy: context.mergePolicy = .overwrite
      case .undoManager: context.undoManager = ContextUndoManager()
      case .staleness: context.stalenessInterval = 0
      }
    }
  }

  private static func setDebugging(_ value: String) {
    _ = unsafe setenv("SEEDBED_CONCURRENCY_DEBUG", value, 1)
  }

  // The environment decides before the first use, so that these run in release builds too.

  @Test("outside its queue, a use of object or context stops with a message that names both", arguments: Use.allCases)
  func trap(use: Use) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use] in
      Self.setDebugging("1")
      let school = try School(.inMemory)
      let context = school.container.newBackgroundContext(name: "import-1")
      let box = Box<ManagedObject>()
      context.performAndWait { box.value = school.addPupil(context, "Ada") }
      if let pupil = box.value { try use.apply(pupil, context, school) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("was used outside its queue (queue seedbed.context.import-1)"))
    #expect(message.contains("context \"import-1\"") && message.contains(use.isOfObject ? "Pupil" : "the context"))
  }

  @Test("switched off, nothing stops; what is the same on every thread never does")
  func noTrap() async throws {
    await #expect(processExitsWith: .success) {
      Self.setDebugging("0")
      let school = try School(.inMemory)
      let context = school.container.newBackgroundContext(name: "import-1")
      let box = Box<ManagedObject>()
      context.performAndWait { box.value = school.addPupil(context, "Ada") }
      guard let pupil = box.value else { exit(2) }
      for use in Use.allCases { try use.apply(pupil, context, school) }
      exit(0)
    }
    await #expect(processExitsWith: .success) {
      Self.setDebugging("1")
      let school = try School(.inMemory)
      let context = school.container.newBackgroundContext(name: "import-1")
      // As long as nothing has begun, the context may be set up on any thread.
      context.mergePolicy = .overwrite
      context.undoManager = nil
      context.automaticallyMergesChangesFromParent = true
      let box = Box<ManagedObject>()
      context.performAndWait { box.value = school.addPupil(context, "Ada") }
      guard let pupil = box.value, pupil.objectID.isTemporary, pupil.entity.name == "Pupil" else { exit(2) }
      exit(pupil.managedObjectContext === context ? 0 : 3)
    }
  }
}
