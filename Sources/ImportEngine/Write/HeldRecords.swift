import StoreInterface

/// The records of a step that are held back as a whole, because what they would do to stored objects could not be taken
/// back. They are tried again after each step.
final class HeldRecords {
  private let step: Int
  private let session: ImportSession
  /// In input order.
  private(set) var batches: [DecodedBatch] = []

  init(step: Int, session: ImportSession) {
    self.step = step
    self.session = session
  }

  var count: Int { batches.reduce(0) { $0 + $1.root.batch.count } }

  /// Adds the records of a batch that have to wait because others about the same objects do.
  /// - Parameter waiting: the batch's records that are held for other reasons.
  func addThoseBehind(
    _ waiting: inout Set<Int>, of decoded: DecodedBatch, _ stored: StoredRowReferences, _ arrivals: Arrivals
  ) {
    waiting.formUnion(session.pendingReferences.recordsWithPendingKeys(decoded))
    guard arrivals.keepsOrder else { return }
    waiting.formUnion(session.heldObjects.records(of: decoded, stored, step: step))
    if !waiting.isEmpty { waiting.formUnion(HeldObjects.records(of: decoded, stored, behind: waiting)) }
  }

  /// Takes records out of a batch.
  func hold(_ records: Set<Int>, of decoded: DecodedBatch, _ matched: MatchedRecords, _ stored: StoredRowReferences) {
    let node = decoded.root
    for row in 0..<node.batch.count where records.contains(Int(node.records[row])) {
      // Other records need not wait for an object that exists already.
      if let object = matched.row(ofRecord: Int(node.records[row])) {
        session.tables.registerRecordKey(of: node, row: row, as: object)
      }
    }
    session.heldObjects.note(decoded, stored, records, step: step)
    batches.append(decoded.copy(records: records))
    decoded.drop(records: records)
  }

  /// Takes out of records that were held what later ones have given to other owners meanwhile.
  func dropSuperseded(from decoded: DecodedBatch, _ matched: MatchedRecords) {
    if !decoded.wasHeld { return }
    session.ownerClaims.dropSuperseded(from: decoded, step: step) { matched.row(ofRecord: $0)?.primaryKey ?? 0 }
  }

  /// Gives up all records, in input order, to be tried again.
  func release() -> [DecodedBatch] {
    defer { batches = [] }
    session.heldObjects.remove(step: step)
    return batches
  }
}
