import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

/// Owners that are faults with their rows at hand, as a fetch leaves them.
@Suite("Faults whose members change")
struct OwnerFaultTests {
  private final class Told: FetchedResultsControllerDelegate {
    var objects: [ManagedObject] = []

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      if let object = anObject as? ManagedObject { objects.append(object) }
    }
  }

  @Test("are told of, without asking the store", arguments: StoreKind.allCases, [false, true])
  func told(kind: StoreKind, asFaults: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      for code in 1...3 { _ = school.addCourse(context, Int64(code)) }
      try context.save()
    }
    let (counting, container) = try school.counted()
    let context = container.newBackgroundContext(name: "faults")
    try context.performAndWait {
      var request = school.all(school.course, by: "code")
      request.returnsObjectsAsFaults = asFaults
      let courses = try context.fetch(request)
      let course = courses[1]
      #expect(course.isFault == asFaults)
      let updated = Box<[ManagedObject]>()
      let observer = NotificationTests.Observer()
      observer.on(ManagedObjectContext.didChangeObjectsNotification, context) { notification in
        updated.value = Array(notification.contextChanges?.updatedObjects ?? [])
      }
      let before = counting.fetchCount + counting.memberCount
      school.addPupil(context, "Ada").setObject(course, for: "course")
      context.processPendingChanges()
      #expect(updated.value == [course])
      #expect(counting.fetchCount + counting.memberCount == before)
      withExtendedLifetime(courses) {}
    }
    let second = container.newBackgroundContext(name: "controller")
    try second.performAndWait {
      var request = school.all(school.course, by: "code")
      request.returnsObjectsAsFaults = asFaults
      let controller = FetchedResultsController<ManagedObject>(fetchRequest: request, managedObjectContext: second)
      let delegate = Told()
      controller.delegate = delegate
      try controller.performFetch()
      let course = try #require(controller.fetchedObjects?[1])
      #expect(course.isFault == asFaults)
      school.addPupil(second, "Ada").setObject(course, for: "course")
      second.processPendingChanges()
      #expect(delegate.objects == [course])
    }
  }
}
