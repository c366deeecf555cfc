import StoreInterface

/// A fetch for which no context blocks: each asks its parent in a block of the parent's queue, and continues in a block
/// of its own queue.
extension ManagedObjectContext {
  /// How a fetch reads the rows that its context's parent has.
  typealias RowReading = (FetchSpecification) throws -> [SnapshotBlock]

  /// Objects to be kept alive. The unchecked `Sendable` is sound because other queues only hold them.
  struct Held: @unchecked Sendable {
    var objects: [ManagedObject] = []
  }

  /// Fetches the rows that the parents have for a request, and runs `work` on this context's queue. When rows are
  /// missing, it fetches them too and runs `work` again.
  /// - Parameters:
  ///   - work: fetches by means of the reading it is given.
  ///   - deliver: gets the result on this context's queue; the error is `WouldWaitForParent` when rows are missing
  ///     after all rounds.
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
    parent.enqueueMerge {
      parent.fetchWithoutWaiting(ofParent, { read in ParentObjects(try parent.fetch(ofParent, reading: read)) }) {
        found in
        self.enqueueMerge {
          defer { withExtendedLifetime(held) {} }
          self.adoptIDsOfParent()
          let deferred = self.deferredError
          self.deferredRequests.begin()
          var result = Result {
            let blocks = [SnapshotBlock(self.retain(try found.get()))]
            return try work { needed in
              // A save or a first pending change meanwhile: these rows are not what is needed any more.
              let isSame = needed.fetchLimit == wanted.fetchLimit && needed.fetchOffset == wanted.fetchOffset
              return isSame && self.saves.count == saveCount ? blocks : try self.snapshotBlocks(needed)
            }
          }
          let missing = self.deferredRequests.end()
          // A fault that could not ask the parent leaves a deferred error; the result does not count then.
          if self.deferredError is WouldWaitForParent {
            self.forgetDeferredError()
            if let deferred { self.deferError(deferred) }
            result = .failure(WouldWaitForParent())
          }
          guard case .failure(let error) = result, error is WouldWaitForParent, attempts > 1 else {
            return deliver(result)
          }
          self.bringIn(missing, held) { held in
            self.fetchWithoutWaiting(request, attempts: attempts - 1, holding: held, work, deliver)
          }
        }
      }
    }
  }

  /// Asks the parent for the missing rows, some time later.
  private func bringIn(_ missing: ParentStateRequest, _ held: Held, _ next: @escaping @Sendable (Held) -> Void) {
    guard let parent, !missing.isEmpty else { return next(held) }
    parent.enqueueMerge {
      parent.tell(missing) { state in
        self.enqueueMerge {
          self.adoptIDsOfParent()
          next(Held(objects: held.objects + self.fillFaults(from: state.renamed { self.permanentID(for: $0) })))
        }
      }
    }
  }
}
