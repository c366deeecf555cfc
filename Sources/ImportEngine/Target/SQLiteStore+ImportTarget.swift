import CoreDataLayout
import ObjectModel
import StoreInterface

extension SQLiteStore: ImportTarget, PageTarget {
  var pages: (any PageTarget)? { self }

  func scanRows(
    of entity: Entity, columns: [RowBatch.Column], into batch: RowBatch,
    body: (RowBatch, _ primaryKeys: [Int64], _ entityIndexes: [Int64]) throws -> Void
  ) throws {
    try unsafe scan(entity, columns: columns, into: batch) { batch, primaryKeys, entities in
      unsafe try body(batch, Array(primaryKeys), Array(entities))
    }
  }

  func insert(_ batch: RowBatch, primaryKeys: [Int64]) throws {
    try unsafe primaryKeys.withUnsafeBufferPointer { unsafe try insert(batch, primaryKeys: $0) }
  }
}
