import CoreDataLayout
import Exports
import Foundation
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Writes the objects of one entity, its sub-entities' not among them, as NDJSON by primary key. Memory does not grow
/// with their number.
///
/// Columns and rows of the batch are good during the call of the scan's closure, which writes them before it returns.
struct EntityDump {
  let store: SQLiteStore
  let part: DumpPlan.Part
  let keyField: String
  let cancellation: Cancellation
  let leftOut: LeftOutFile

  /// - Returns: the number of objects.
  func write(to path: String) throws -> Int {
    let writer = NDJSONWriter(sink: try FileSink.open(path: path))
    let columns = part.columns
    let batch = RowBatch(entity: part.entity, columns: columns, capacity: 1024)
    let identifier = store.identifier
    var count = 0
    // Missing files of sub-entities, whose rows are scanned too, are reported with the sub-entity's own dump.
    var missing: [(key: Int64, column: Int, name: String)] = []
    try unsafe store.scan(
      part.entity, columns: columns, into: batch, onMissingFile: { missing.append(($0, $1, $2)) }
    ) { batch, primaryKeys, entities in
      var own: Set<Int64> = []
      try cancellation.check(nil)
      // Safety: the scan gives a key and an entity for each row. Columns are those of the leaves, then those of
      // `toOne`, with the storage of their types.
      for row in 0..<batch.count where unsafe Int(entities[row]) == part.entity.index {
        let key = unsafe primaryKeys[row]
        if !missing.isEmpty { own.insert(key) }
        writer.beginObject()
        writer.key(keyField)
        writer.string(DumpPlan.key(part.entity, key))
        try writeAttributes(batch, row, key, to: writer)
        writeToOne(batch, row, key, to: writer)
        let id = ObjectID(entity: part.entity, reference: .permanent(store: identifier, primaryKey: key))
        for relationship in part.lists {
          writer.key(relationship.name)
          writer.beginArray()
          for member in try store.members(of: id, relationship: relationship) {
            if let key = member.primaryKey { writer.string(DumpPlan.key(member.entity, key)) }
          }
          writer.endArray()
        }
        writer.endObject()
        try writer.endRecord()
        count += 1
      }
      for value in missing where own.contains(value.key) {
        leftOut.addMissing(value.name, part.leaves[value.column].path, of: part.entity, value.key, keyField: keyField)
      }
      missing = []
    }
    try writer.finish()
    return count
  }

  private func writeAttributes(_ batch: RowBatch, _ row: Int, _ key: Int64, to writer: NDJSONWriter) throws {
    /// The composites that are open.
    var open: [String] = []
    for (column, leaf) in part.leaves.enumerated() {
      let outer = Array(leaf.names.dropLast())
      while !outer.starts(with: open) {
        writer.endObject()
        open.removeLast()
      }
      for name in outer[open.count...] {
        writer.key(name)
        writer.beginObject()
        open.append(name)
      }
      writer.key(leaf.names[leaf.names.count - 1])
      if unsafe batch.states[column][row] == RowBatch.State.value.rawValue {
        try write(leaf, batch, column, row, key, to: writer)
      } else {
        writer.null()
      }
    }
    for _ in open { writer.endObject() }
  }

  private func write(
    _ leaf: StoredAttribute, _ batch: RowBatch, _ column: Int, _ row: Int, _ key: Int64, to writer: NDJSONWriter
  ) throws {
    switch leaf.attribute.type {
    case .integer16, .integer32, .integer64: unsafe writer.number(batch.integers(column)[row])
    case .boolean: unsafe writer.bool(batch.integers(column)[row] != 0)
    case .double: unsafe StoredValueText.append(batch.reals(column)[row], isFloat: false, to: writer)
    case .float: unsafe StoredValueText.append(batch.reals(column)[row], isFloat: true, to: writer)
    case .date: unsafe StoredValueText.append(date: batch.reals(column)[row], to: writer)
    case .decimal:
      let bytes = unsafe batch.cellBytes(column, row)
      guard unsafe ParsedNumber.read(bytes) != .notANumber else { throw damaged(leaf, key, "is no number") }
      unsafe writer.raw(bytes)
    case .string, .uri, .undefined, .objectID, .composite:
      let bytes = unsafe batch.cellBytes(column, row)
      guard unsafe StoredValueText.isUTF8(bytes) else { throw damaged(leaf, key, "is no UTF-8 text") }
      unsafe writer.string(bytes)
    case .uuid:
      let bytes = unsafe batch.cellBytes(column, row)
      guard bytes.count == 16 else { throw damaged(leaf, key, "has \(bytes.count) bytes, which is no UUID") }
      unsafe writer.string(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
    case .binary: writer.string(unsafe Data(batch.cellBytes(column, row)).base64EncodedString())
    case .transformable: unsafe StoredValueText.append(transformable: batch.cellBytes(column, row), to: writer)
    }
  }

  private func writeToOne(_ batch: RowBatch, _ row: Int, _ key: Int64, to writer: NDJSONWriter) {
    for (index, relationship) in part.toOne.enumerated() {
      let column = part.leaves.count + index
      writer.key(relationship.name)
      if unsafe batch.states[column][row] == RowBatch.State.value.rawValue, !leftOut.isDangling(relationship, key) {
        writer.string(DumpPlan.key(relationship.destination, unsafe batch.integers(column)[row]))
      } else {
        writer.null()
      }
    }
  }

  private func damaged(_ leaf: StoredAttribute, _ key: Int64, _ what: String) -> RunError {
    RunError(
      .badData, code: "dump.value",
      "\(store.path): the value of \(part.entity.name).\(leaf.path) in row \(key) \(what)",
      hint: "seedbed check looks for more damage; the row can be mended with SQLite's own tools")
  }
}
