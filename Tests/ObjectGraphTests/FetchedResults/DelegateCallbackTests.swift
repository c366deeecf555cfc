import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Testing

/// What delegates of fetched results controllers do while they are told of changes.
@Suite("Delegates in their callbacks")
struct DelegateCallbackTests {
  private final class SnapshotFetcher: FetchedResultsControllerDelegate {
    var ids: [ObjectID] = []
    var differences = 0

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
      ids = snapshot.objectIDs
      if controller.fetchRequest.fetchLimit == 1 { return }
      controller.fetchRequest.fetchLimit = 1
      try? controller.performFetch()
    }

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChangeContentWith difference: CollectionDifference<ObjectID>
    ) { differences += 1 }
  }

  @Test("a delegate that fetches when it is told of ids is told no difference that does not fit them")
  func fetchingForIDs() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let controller = school.controller(context)
      try controller.performFetch()
      let delegate = SnapshotFetcher()
      controller.delegate = delegate
      let ada = school.addPupil(context, "Ada")
      school.addPupil(context, "Bob")
      context.processPendingChanges()
      #expect(delegate.ids == [ada.objectID] && delegate.differences == 0 && controller.fetchedObjects == [ada])
    }
  }

  /// Applies differences, and saves in a callback.
  private final class Saver: FetchedResultsControllerDelegate {
    let place: Place
    var ids: [ObjectID] = []
    var mistakes = 0
    enum Place: CaseIterable { case willChange, change, didChange, snapshot, difference }

    init(_ place: Place) { self.place = place }

    private func save(_ place: Place, _ controller: FetchedResultsController<any FetchRequestResult>) {
      if place == self.place { try? controller.managedObjectContext.save() }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      save(.willChange, controller)
    }
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { save(.change, controller) }
    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      save(.didChange, controller)
    }
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) { save(.snapshot, controller) }
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChangeContentWith difference: CollectionDifference<ObjectID>
    ) {
      if let changed = ids.applying(difference) { ids = changed } else { mistakes += 1 }
      save(.difference, controller)
    }
  }

  @Test(
    "a list of ids is right whatever callback its delegate saves in", arguments: StoreKind.allCases,
    ["name != ''", "course == NULL OR course.title != 'x'"])
  func savingInCallbacks(kind: StoreKind, predicate: String) throws {
    for place in Saver.Place.allCases {
      let school = try School(kind)
      try school.work { context in
        var request = FetchSpecification(school.pupil)
        request.predicate = try FetchPredicate(parsing: predicate)
        request.sortDescriptors = [.init(["name"])]
        let controller = FetchedResultsController<ManagedObject>(fetchRequest: request, managedObjectContext: context)
        try controller.performFetch()
        let saver = Saver(place)
        controller.delegate = saver
        for name in ["Eva", "Bob", "Ada", "Cid"] {
          school.addPupil(context, name)
          context.processPendingChanges()
          #expect(saver.mistakes == 0 && saver.ids == controller.fetchedObjects?.map(\.objectID), "\(place) \(name)")
        }
        for pupil in try #require(controller.fetchedObjects).prefix(2) { context.delete(pupil) }
        context.processPendingChanges()
        #expect(saver.mistakes == 0 && saver.ids == controller.fetchedObjects?.map(\.objectID), "\(place)")
      }
    }
  }

  private final class Refetcher: FetchedResultsControllerDelegate {
    weak var known: FetchedResultsController<ManagedObject>?
    weak var other: FetchedResultsController<ManagedObject>?
    var isEqual: [Bool] = []

    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      isEqual += [controller === known, controller == known, controller !== other, controller != other]
      controller.fetchRequest.fetchLimit = 1
      try? controller.performFetch()
    }
  }

  @Test("what a delegate is given stands for its controller", arguments: StoreKind.allCases)
  func view(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (controller, other) = (school.controller(context), school.controller(context))
      let delegate = Refetcher()
      (delegate.known, delegate.other) = (controller, other)
      controller.delegate = delegate
      try controller.performFetch()
      let ada = school.addPupil(context, "Ada")
      school.addPupil(context, "Bob")
      context.processPendingChanges()
      #expect(delegate.isEqual == [true, true, true, true])
      #expect(controller.fetchRequest.fetchLimit == 1 && controller.fetchedObjects == [ada])
    }
  }
}
