import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Values at the ends of those key paths of a scan that begin with the same to-one relationship.
///
/// Many rows lead to the same destination, often one after another. So the destinations are not joined to every row:
/// what was read of one is kept, in the one of a fixed number of places that its primary key gives. That bounds the
/// memory, and dense keys do not drive each other out.
@safe final class ToOneColumnReader {
  private static let placeCount = 1 << 14
  /// Bytes of texts and data after which everything is forgotten.
  private static let byteLimit = 8 << 20

  /// The foreign key's column, to be selected from `t0`.
  let foreignKey: String
  /// At the ends of the key paths.
  let attributes: [AttributeDefinition]
  private let positions: [Int]
  private let holdsBytes: [Bool]
  private let statement: Statement
  private let cells: CellReader
  /// One row per place.
  private let places: RowBatch
  /// The primary key of the object whose values a place holds; 0 for none.
  private let keys: UnsafeMutablePointer<Int64>

  /// - Parameters:
  ///   - relationship: to-one, of the scanned entity.
  ///   - keyPaths: the rest of the key paths, after the relationship, and the batch's columns that their values go to.
  init(
    _ reader: StoreReader, through relationship: Relationship,
    keyPaths: [(rest: FetchPredicate.KeyPath, position: Int)]
  ) throws {
    guard !relationship.isToMany, let column = reader.file.layout.foreignKeyColumn(of: relationship) else {
      throw StoreError.failure("\(relationship.name) is no stored to-one relationship")
    }
    let destination = relationship.destination
    foreignKey = "t0." + column.name
    positions = keyPaths.map(\.position)
    var sql = FetchSQL(reader, destination)
    let selected = try keyPaths.map { try sql.selectedColumn($0.rest) }
    attributes = selected.map(\.attribute)
    let columns = zip(keyPaths, selected).map { keyPath, selected in
      RowBatch.Column(.attribute(keyPath.rest.joined(separator: ".")), selected.attribute.type.rowBatchStorage)
    }
    holdsBytes = columns.map { $0.storage == .bytes }
    statement = try Statement(
      reader.session.connection, sql.row(selecting: selected.map(\.sql).joined(separator: ", ")))
    cells = CellReader(reader.session, columns: columns, attributes: attributes)
    places = RowBatch(entity: destination, columns: columns, capacity: Self.placeCount)
    unsafe keys = .allocate(capacity: Self.placeCount)
    unsafe keys.initialize(repeating: 0, count: Self.placeCount)
  }

  deinit { unsafe keys.deallocate() }

  /// Fills the columns of a row with the values of its destination, with nulls when there is none.
  func fill(_ batch: RowBatch, row: Int, destination: Int64?) throws {
    guard let destination else {
      for position in positions { unsafe batch.states[position][row] = RowBatch.State.null.rawValue }
      return
    }
    // Safety: the mask keeps `place` under `placeCount`, for which `keys` and `places` were made. Their arena is
    // not the one of `batch`, so that it stays in place while a value is copied.
    let place = Int(truncatingIfNeeded: destination) & (Self.placeCount - 1)
    if unsafe keys[place] != destination || destination == 0 { try read(destination, into: place) }
    for index in 0..<positions.count {
      let position = positions[index]
      let state = unsafe places.states[index][place]
      unsafe batch.states[position][row] = state
      guard state == RowBatch.State.value.rawValue else { continue }
      guard holdsBytes[index] else {
        unsafe batch.integers(position)[row] = unsafe places.integers(index)[place]
        continue
      }
      let slice = unsafe places.slices(index)[place]
      unsafe batch.slices(position)[row] = unsafe batch.append(
        places.arena + Int(slice.offset), count: Int(slice.length))
    }
  }

  private func read(_ destination: Int64, into place: Int) throws {
    if places.arenaCount > Self.byteLimit {
      places.removeAll()
      unsafe keys.update(repeating: 0, count: Self.placeCount)
    }
    try statement.bind(1, destination)
    defer { statement.reset() }
    if try statement.step() {
      try cells.read(statement, from: 0, into: places, row: place)
    } else {
      for index in 0..<positions.count { unsafe places.states[index][place] = RowBatch.State.null.rawValue }
    }
    unsafe keys[place] = destination
  }
}
