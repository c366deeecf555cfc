import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Models of our own for the tests.
enum Models {
  /// One attribute of every type.
  static func types() throws -> ManagedObjectModel {
    var sample = EntityDescription("Sample")
    sample.attributes = [
      .init("small", .integer16), .init("medium", .integer32), .init("large", .integer64), .init("exact", .decimal),
      .init("real", .double), .init("single", .float), .init("text", .string), .init("flag", .boolean),
      .init("day", .date), .init("bytes", .binary), .init("uuid", .uuid), .init("link", .uri),
      .init("object", .transformable),
    ]
    var external = AttributeDescription("image", .binary)
    external.allowsExternalBinaryDataStorage = true
    var passing = AttributeDescription("passing", .string)
    passing.isTransient = true
    var named = AttributeDescription("named", .string)
    named.defaultValue = .string("nobody")
    sample.attributes += [external, passing, named]
    return try ManagedObjectModel(entities: [sample])
  }

  /// Stops and routes: inheritance, every form of relationship, constraints, indexes.
  static func transit() throws -> ManagedObjectModel {
    var place = EntityDescription("Place")
    place.isAbstract = true
    place.attributes = [.init("name", .string)]
    var stop = EntityDescription("Stop")
    stop.superentityName = "Place"
    var zone = AttributeDescription("zone", .integer16)
    zone.defaultValue = .integer(7)
    stop.attributes = [.init("identifier", .string), zone, .init("latitude", .double), .init("longitude", .double)]
    stop.relationships = [
      .init("parent", toOne: "Place", inverse: "children"),
      .init("routes", toMany: "Route", inverse: "stops"),
      .init("neighbours", toMany: "Stop", inverse: "neighbours"),
      .init("transfersTo", toMany: "Stop", inverse: "transfersFrom"),
      .init("transfersFrom", toMany: "Stop", inverse: "transfersTo"),
    ]
    stop.uniquenessConstraints = [["identifier"]]
    stop.fetchIndexes = [
      .init(
        "byPlace",
        elements: [
          .init(.property("latitude"), kind: .rTree), .init(.property("longitude"), kind: .rTree),
        ])
    ]
    var station = EntityDescription("Station")
    station.superentityName = "Stop"
    place.relationships = [.init("children", toMany: "Stop", inverse: "parent", ordered: true)]
    var route = EntityDescription("Route")
    route.attributes = [.init("code", .string), .init("colour", .string)]
    route.relationships = [
      .init("stops", toMany: "Stop", inverse: "routes", ordered: true),
      .init("notes", toMany: "Note"),
    ]
    route.uniquenessConstraints = [["code"]]
    var note = EntityDescription("Note")
    note.attributes = [.init("text", .string)]
    return try ManagedObjectModel(entities: [place, stop, station, route, note])
  }

  /// A counted relationship.
  static func library() throws -> ManagedObjectModel {
    var shelf = EntityDescription("Shelf")
    var count = AttributeDescription("bookCount", .integer64)
    count.derivation = .init(expression: "count:(books)")
    shelf.attributes = [count, .init("label", .string)]
    shelf.relationships = [.init("books", toMany: "Book", inverse: "shelf")]
    var book = EntityDescription("Book")
    book.attributes = [.init("title", .string)]
    book.relationships = [.init("shelf", toOne: "Shelf", inverse: "books")]
    return try ManagedObjectModel(entities: [shelf, book])
  }
}

extension ManagedObjectModel {
  func entity(_ name: String) throws -> Entity {
    guard let entity = self[name] else { throw StoreError.failure("no entity \(name)") }
    return entity
  }
}

/// A value for a cell of a row batch.
enum Cell {
  case absent, null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
}

/// A batch with these rows.
func makeBatch(_ entity: Entity, _ columns: [RowBatch.Column], _ rows: [[Cell]]) -> RowBatch {
  let batch = RowBatch(entity: entity, columns: columns, capacity: max(rows.count, 1))
  for (row, cells) in rows.enumerated() {
    for (column, cell) in cells.enumerated() {
      func put(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { source in
          unsafe batch.slices(column)[row] =
            if let start = source.baseAddress { unsafe batch.append(start, count: source.count) } else {
              RowBatch.Slice(offset: 0, length: 0)
            }
        }
      }
      var state = RowBatch.State.value
      switch cell {
      case .absent: state = .absent
      case .null: state = .null
      case .integer(let value): unsafe batch.integers(column)[row] = value
      case .real(let value): unsafe batch.reals(column)[row] = value
      case .text(let text): put(Array(text.utf8))
      case .bytes(let bytes): put(bytes)
      }
      unsafe batch.states[column][row] = state.rawValue
    }
  }
  batch.count = rows.count
  return batch
}

extension SQLiteStore {
  func insert(_ batch: RowBatch, keys: [Int64]) throws {
    try unsafe keys.withUnsafeBufferPointer { try unsafe insert(batch, primaryKeys: $0) }
  }
}
