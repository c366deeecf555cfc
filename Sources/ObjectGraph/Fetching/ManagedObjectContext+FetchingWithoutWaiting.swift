import ObjectModel
import StoreInterface

/// A fetch that no context waits for: each asks its parent in a turn of the parent's queue, and goes on in one of its
/// own.
extension ManagedObjectContext {
  /// How a fetch reads the rows that its context's parent has.
  typealias RowReading = (FetchSpecification) throws -> [SnapshotBlock]

  /// Objects that nothing else may hold yet. They cross queues only to be held.
  struct Held: @unchecked Sendable {
    var objects: [ManagedObject] = []
  }

  /// Brings in what the parents have for a request, and makes something of it on this context's queue. What it finds
  /// missing is brought in too, and it begins anew.
  /// - Parameters:
  ///   - work: fetches by means of the reading it is given.
  ///   - deliver: gets what came of it on this context's queue: `WouldWait` when too much was missing.
  func fetchWithoutWaiting<Answer: Sendable>(
    _ request: FetchSpecification, attempts: Int = 8, holding held: Held = Held(),
    _ work: @escaping @Sendable (RowReading) throws -> Answer,
    _ deliver: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    guard let parent, !isParentAtHand else { return deliver(Result { try work(snapshotBlocks) }) }
    let wanted = request.readAhead(hasPendingChanges: hasPendingChanges(for: request))
    let saveCount = saves.count
    var asked = wanted.forRowsOfParent
    asked.relationshipKeyPathsForPrefetching = []
    let ofParent = asked
    parent.follow {
      parent.fetchWithoutWaiting(ofParent, { read in ParentObjects(try parent.fetch(ofParent, reading: read)) }) {
        found in
        self.follow {
          defer { withExtendedLifetime(held) {} }
          self.adoptIDsOfParent()
          let deferred = self.deferredError
          self.refusals.begin()
          var result = Result {
            let blocks = [SnapshotBlock(self.retain(try found.get()))]
            return try work { needed in
              // A save or a first pending change meanwhile: these rows are not what is needed any more.
              let isSame = needed.fetchLimit == wanted.fetchLimit && needed.fetchOffset == wanted.fetchOffset
              return isSame && self.saves.count == saveCount ? blocks : try self.snapshotBlocks(needed)
            }
          }
          let missing = self.refusals.end()
          // Faults keep the errors that they meet; what came of their missing values, an error perhaps, does not count.
          if self.deferredError is WouldWait {
            self.forgetDeferredError()
            if let deferred { self.deferError(deferred) }
            result = .failure(WouldWait())
          }
          guard case .failure(let error) = result, error is WouldWait, attempts > 1 else { return deliver(result) }
          self.bringIn(missing, held) { held in
            self.fetchWithoutWaiting(request, attempts: attempts - 1, holding: held, work, deliver)
          }
        }
      }
    }
  }

  /// Has the parent say what is missing, some time later.
  private func bringIn(_ missing: MissingState, _ held: Held, _ next: @escaping @Sendable (Held) -> Void) {
    guard let parent, !missing.isEmpty else { return next(held) }
    parent.follow {
      parent.tell(missing) { state in
        self.follow {
          self.adoptIDsOfParent()
          next(Held(objects: held.objects + self.fillFaults(from: state.renamed { self.permanentID(for: $0) })))
        }
      }
    }
  }
}
