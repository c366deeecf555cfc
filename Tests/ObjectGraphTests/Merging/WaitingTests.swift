import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Synchronization
import TestSupport
import Testing

/// Contexts that wait for each other. What hangs would hang the tests, so it runs in processes of its own, which a
/// watchdog ends.
@Suite("Contexts that wait for each other")
struct WaitingTests {
  /// Contexts of every kind over one store.
  private struct Stack: Sendable {
    let school: School
    let contexts: [ManagedObjectContext]
    /// Keeps the objects of every context: only what is loaded is merged.
    let kept = Kept()
    /// A controller in every context.
    let controllers: [Watched]

    final class Kept: @unchecked Sendable {
      var objects: [ManagedObject] = []
    }

    init(merging: Bool) throws {
      school = try School(.inMemory)
      let view = school.container.viewContext
      let background = school.container.newBackgroundContext(name: "background")
      func child(_ type: ManagedObjectContext.ConcurrencyType, _ parent: ManagedObjectContext, _ name: String)
        -> ManagedObjectContext
      { ManagedObjectContext(type, parent: parent, name: name) }
      let left = child(.privateQueue, view, "left")
      let right = child(.privateQueue, view, "right")
      let front = child(.mainQueue, view, "front")
      let under = child(.privateQueue, background, "under")
      let above = child(.mainQueue, background, "above")
      let deep = child(.privateQueue, left, "deep")
      let deepest = child(.privateQueue, deep, "deepest")
      let below = child(.privateQueue, under, "below")
      let ahead = child(.privateQueue, front, "ahead")
      contexts = [view, background, left, right, front, under, above, deep, deepest, below, ahead]
      for context in contexts {
        context.automaticallyMergesChangesFromParent = merging
        context.mergePolicy = .mergeByPropertyObjectTrump
      }
      let school = school
      controllers = try contexts.map { try Watched(school, $0, sections: "grade") }
    }

    /// Saves to the store, from a context up.
    func save(_ context: ManagedObjectContext) throws {
      var here: ManagedObjectContext? = context
      while let next = here {
        try next.performAndWait { try next.save() }
        here = next.parent
      }
    }

    /// Pupils and a club, loaded in every context.
    func begin() throws -> [ObjectID] {
      let view = contexts[0]
      let pupils = (0..<6).map { school.addPupil(view, "Pupil \($0)") }
      let club = view.insert(school.club)
      try view.save()
      let ids = pupils.map(\.objectID) + [club.objectID]
      for context in contexts {
        try context.performAndWait {
          let objects = try context.objects(with: ids)
          _ = try objects[6].objects(for: "members")
          kept.objects += objects
        }
      }
      return ids
    }

    /// Every context saves to the store, and each time the main thread waits for another one.
    /// - Returns: the numbers that were saved last.
    func saveAll(_ ids: [ObjectID]) throws -> [Int] {
      var numbers = Array(repeating: 1, count: 7)
      numbers[6] = 0
      var number = 1
      for saver in contexts {
        for other in contexts where other !== saver {
          number += 1
          try saver.performAndWait {
            // Others may have saved what this context has not heard of.
            let pupil = try saver.existingObject(with: ids[number % 6])
            try refresh(pupil)
            pupil["grade"] = .integer(Int64(number))
            let club = try saver.existingObject(with: ids[6])
            try refresh(club)
            if number % 5 == 0 { try club.add(school.addPupil(saver, "New"), to: "members") }
          }
          numbers[number % 6] = number
          if number % 5 == 0 { numbers[6] += 1 }
          try save(saver)
          other.performAndWait {}
          _ = other.performAndWait { other.object(with: ids[number % 6])["grade"] }
        }
      }
      return numbers
    }

    /// Brings an object up to date in every context that it is read through.
    private func refresh(_ object: ManagedObject) throws {
      let id = object.objectID
      var chain: [ManagedObjectContext] = []
      var here = object.managedObjectContext
      while let context = here {
        chain.append(context)
        here = context.parent
      }
      for context in chain.reversed() {
        context.performAndWait { context.refresh(context.object(with: id), mergeChanges: true) }
      }
    }

    /// The grades of the pupils and the number of the club's members, as a context has them.
    func numbers(_ context: ManagedObjectContext, _ ids: [ObjectID]) -> [Int] {
      context.performAndWait {
        ids.dropLast().map { id in
          if case .integer(let grade) = context.object(with: id)["grade"] { Int(grade) } else { -1 }
        } + [context.object(with: ids[6]).members(of: "members").count]
      }
    }
  }

  /// Ends the process when the work takes longer than that.
  @MainActor private static func watched<Result>(seconds: Int = 300, _ work: () throws -> Result) rethrows -> Result {
    let watchdog = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "watchdog"))
    watchdog.schedule(deadline: .now() + .seconds(seconds))
    watchdog.setEventHandler {
      FileHandle.standardError.write(Data("the contexts wait for each other\n".utf8))
      exit(3)
    }
    watchdog.resume()
    defer { watchdog.cancel() }
    return try work()
  }

  /// A child on a queue of its own that merges what its parent saves.
  private static func mergingChild(of parent: ManagedObjectContext, name: String = "child") -> ManagedObjectContext {
    let child = ManagedObjectContext(.privateQueue, parent: parent, name: name)
    child.automaticallyMergesChangesFromParent = true
    return child
  }

  @Test("main saves, then waits for a private child that merges")
  func mainSavesAndWaits() async {
    await #expect(processExitsWith: .success) {
      try await MainActor.run {
        try Self.watched {
          let school = try School(.inMemory)
          let view = school.container.viewContext
          let ada = school.addPupil(view, "Ada")
          try view.save()
          let child = Self.mergingChild(of: view)
          let id = ada.objectID
          try child.performAndWait { _ = try child.existingObject(with: id)["name"] }
          for grade in 0..<200 {
            ada["grade"] = .integer(Int64(grade))
            try view.save()
            child.performAndWait {}
            let seen = child.performAndWait { child.object(with: id)["grade"] }
            guard seen == .integer(Int64(grade)) else { exit(4) }
          }
        }
      }
    }
  }

  /// A controller over the pupils of a context; use it on the context's queue.
  private final class Watched: @unchecked Sendable {
    private let context: ManagedObjectContext
    private var controller: FetchedResultsController<ManagedObject>?

    init(_ school: School, _ context: ManagedObjectContext, sections: String?) throws {
      self.context = context
      try context.performAndWait {
        var request = FetchSpecification(school.pupil)
        request.sortDescriptors = (sections.map { [$0] } ?? []).map { .init($0.split(separator: ".").map(String.init)) }
        request.sortDescriptors.append(.init(["name"]))
        request.predicate = try FetchPredicate(parsing: "grade > 0")
        let controller = FetchedResultsController<ManagedObject>(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections)
        try controller.performFetch()
        self.controller = controller
      }
    }

    /// The sections with the names in them.
    var contents: [String] {
      context.performAndWait {
        let sections = controller?.sections ?? []
        return sections.map { section in
          let names = (section.objects as? [ManagedObject] ?? []).map { "\($0.attributeValue("name"))" }
          return section.name + ":" + names.joined(separator: ",")
        }
      }
    }
  }

  @Test(
    "main saves, then waits for a child with a controller, which is right soon after",
    arguments: ["", "grade", "course.title"], [1, 2])
  func mainWaitsForAController(sections: String, depth: Int) async {
    await #expect(processExitsWith: .success) { [sections, depth] in
      let section = sections.isEmpty ? nil : sections
      let stack = try await MainActor.run {
        let school = try School(.inMemory)
        let view = school.container.viewContext
        let courses = (1...3).map { school.addCourse(view, $0) }
        for (course, title) in zip(courses, ["Art", "Maths", "Music"]) { course["title"] = .string(title) }
        let pupils = (1...4).map { school.addPupil(view, "Pupil \($0)", grade: Int64($0)) }
        for (index, pupil) in pupils.enumerated() where index < 3 { pupil.setObject(courses[index], for: "course") }
        try view.save()
        var child = view
        for level in 0..<depth {
          child = Self.mergingChild(of: child, name: "child \(level)")
        }
        let watched = try Watched(school, child, sections: section)
        try Self.watched {
          for round in 0..<40 {
            pupils[round % 4]["name"] = .string("Pupil \(9 - round % 7)")
            pupils[round % 3]["grade"] = .integer(Int64(round % 5))
            pupils[3].setObject(courses[round % 3], for: "course")
            if round % 8 == 0 { school.addPupil(view, "Pupil \(round)", grade: 2) }
            try view.save()
            child.performAndWait {}
          }
        }
        let fresh = ManagedObjectContext(.privateQueue, parent: view, name: "fresh")
        return (watched, try Watched(school, fresh, sections: section).contents)
      }
      // What a child asks its parent for comes in turns of both queues, of which not all are told.
      do {
        _ = try await poll(seconds: 300) { await MainActor.run { stack.0.contents } == stack.1 }
      } catch {
        await MainActor.run { print(stack.0.contents, stack.1) }
        throw error
      }
    }
  }

  @Test("a child merges what its parent saved while the parent's queue is busy with something else")
  func mergesWhileTheParentIsBusy() async {
    await #expect(processExitsWith: .success) {
      try await MainActor.run {
        try Self.watched {
          let school = try School(.inMemory)
          let view = school.container.viewContext
          let ada = school.addPupil(view, "Ada")
          let maths = school.addCourse(view, 1)
          try view.save()
          let child = Self.mergingChild(of: view)
          let ids = (ada.objectID, maths.objectID)
          let kept = Mutex<[ObjectID: Bool]>([:])
          try child.performAndWait {
            let copy = try child.existingObject(with: ids.0)
            copy["height"] = .double(2)
            let bob = school.addPupil(child, "Bob")
            bob.setObject(try child.existingObject(with: ids.1), for: "course")
            kept.withLock { $0[copy.objectID] = true }
          }
          ada["grade"] = .integer(9)
          ada.setObject(maths, for: "course")
          let merged = DispatchSemaphore(value: 0)
          let token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: child, queue: nil
          ) { _ in merged.signal() }
          defer { NotificationCenter.default.removeObserver(token) }
          try view.save()
          // The main queue does nothing for the child meanwhile.
          guard merged.wait(timeout: .now() + 300) == .success else { exit(4) }
          let (grade, height) = child.performAndWait {
            (child.object(with: ids.0)["grade"], child.object(with: ids.0)["height"])
          }
          guard grade == .integer(9), height == .double(2) else { exit(5) }
        }
      }
    }
  }

  @Test("of all pairs of contexts, one saves and the main thread waits for the other, merging or not")
  func allPairs() async {
    await #expect(processExitsWith: .success) {
      for merging in [true, false] {
        let stack = try await MainActor.run { try Stack(merging: merging) }
        let ids = try await MainActor.run { try Self.watched { try stack.begin() } }
        let numbers = try await MainActor.run { try Self.watched { try stack.saveAll(ids) } }
        if !merging { continue }
        // What others saved arrives some time later, everywhere, in turns of which not all are told.
        do {
          _ = try await poll(seconds: 300) {
            await MainActor.run { stack.contexts.allSatisfy { stack.numbers($0, ids) == numbers } }
          }
        } catch {
          await MainActor.run {
            for context in stack.contexts { print(context.name ?? "", stack.numbers(context, ids), numbers) }
          }
          throw error
        }
      }
    }
  }
}
