import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Writes complete snapshots of one concrete entity.
///
/// What its unsafe code relies on: a buffer of snapshots is an array's, or one snapshot's, for the length of a call,
/// and the rows that are asked for lie within it. Statements are bound to texts in the memory of `texts`, which is used
/// again only after `texts.removeAll`: every parameter is bound anew before a statement runs, and `deinit` clears the
/// bindings before the memory goes. The writer is used inside the session's lock.
final class SnapshotWriter {
  let writer: StoreWriter
  private let entity: Entity
  private let table: String
  let number: Int
  let columns: [(name: String, source: SnapshotColumns.Source)]
  /// The paths of elements inside their composite attributes.
  let paths: [[String]]
  /// Ordered to-one relationships: foreign key column and order column.
  private var ordered: [(relationship: Relationship, key: String, order: String)] = []
  /// Columns whose values may lie in files.
  private var externalColumns: Set<String> = []
  private lazy var reader = SnapshotReader(writer.session, entity: entity)
  private var greatestKey: Int64 = 0
  let texts = BoundTexts()
  private var insertionStatements: [Int: Statement] = [:]
  /// The sets of columns that updates write.
  private var updates: [Update] = []
  private var updateIndexes: [[Int]: Int] = [:]
  private var lastUpdate = 0
  private var lastProperties: (properties: PropertySet, update: Int)?
  private var changed: [Int] = []
  private var isWritingTogether: Bool?

  /// An update of some columns.
  private struct Update {
    var columns: [Int]
    var names: [String]
    /// The ordered relationships that lead elsewhere.
    var moved: [Relationship]
    var hasExternalData: Bool
    var statement: Statement?
    /// The statement that updates many rows at once.
    var runStatement: Statement?
  }

  init(_ writer: StoreWriter, entity: Entity) {
    self.writer = writer
    self.entity = entity
    let layout = writer.layout
    table = layout.table(for: entity).name
    number = layout.number(of: entity)
    let found = SnapshotColumns(entity, layout: layout)
    columns = found.columns.map { ($0.name, $0.source) }
    paths = found.paths
    for column in columns {
      switch column.source {
      case .attribute(_, .externalBlob), .element(_, path: _, .externalBlob): externalColumns.insert(column.name)
      default: break
      }
    }
    for relationship in entity.relationships where !relationship.isToMany {
      guard let key = layout.foreignKeyColumn(of: relationship), let order = layout.orderColumn(of: relationship) else {
        continue
      }
      ordered.append((relationship, key.name, order.name))
    }
  }

  deinit {
    // Safety: the statements may outlive `texts`, so they must not keep addresses of its memory.
    for statement in insertionStatements.values { statement.clearBindings() }
    for update in updates { update.statement?.clearBindings() }
  }

  // MARK: - Inserting

  /// Inserts new rows in the given order, many with one statement.
  func insert(_ snapshots: [Snapshot], _ range: Range<Int>) throws {
    let rowsPerStatement = try range.count > 1 ? rowsPerStatement() : 1
    var start = range.lowerBound
    while start < range.upperBound {
      let count = range.upperBound - start < rowsPerStatement ? 1 : rowsPerStatement
      let statement = try insertion(ofRows: count)
      texts.removeAll()
      try unsafe snapshots.withUnsafeBufferPointer { snapshots in
        var parameter: Int32 = 1
        for position in start..<start + count {
          let key = unsafe snapshots[position].objectID.primaryKey ?? 0
          try statement.bind(parameter, key)
          for index in columns.indices {
            try unsafe bind(snapshots, position, key, index, to: statement, at: parameter + 1 + Int32(index))
          }
          parameter += Int32(columns.count + 1)
          greatestKey = max(greatestKey, key)
        }
      }
      try statement.run()
      for position in start..<start + count where writer.history != nil || !ordered.isEmpty {
        let key = snapshots[position].objectID.primaryKey ?? 0
        try writer.history?.recordInsert(entityNumber: number, key: key)
        for place in ordered { writer.noteMissingOrderKey(place.relationship, key) }
      }
      start += count
    }
  }

  /// How many rows one statement takes.
  private func rowsPerStatement() throws -> Int {
    let greatestParameterCount = 900
    return try writesTogether() ? max(min(64, greatestParameterCount / (columns.count + 1)), 1) : 1
  }

  /// Whether one statement may write several rows. Not with a history: the owners that it records with a row are those
  /// that are there when the row comes. Not with triggers: a statement of several rows says `OR FAIL`, so that SQLite
  /// keeps no journal for each, and that would hold for the statements of the triggers too.
  private func writesTogether() throws -> Bool {
    if let isWritingTogether { return isWritingTogether }
    var isPossible = writer.history == nil
    if isPossible {
      let find = try writer.cached(
        """
        SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
        UNION ALL SELECT 1 FROM sqlite_temp_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
        """)
      defer { find.reset() }
      try find.bind(1, table)
      isPossible = try !find.step()
    }
    isWritingTogether = isPossible
    return isPossible
  }

  /// After a failure of a statement of several rows, some of them are there: the save undoes all that it has written.
  private func insertion(ofRows count: Int) throws -> Statement {
    if let statement = insertionStatements[count] { return statement }
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
    let rows = (0..<count).map { row in
      let first = row * (columns.count + 1) + 1
      let parameters = ["?\(first)", String(number), "1"] + columns.indices.map { "?\(first + 1 + $0)" }
      return "(" + parameters.joined(separator: ", ") + ")"
    }
    let statement = try writer.cached(
      "INSERT \(count > 1 ? "OR FAIL " : "")INTO \(table) (\(names.joined(separator: ", "))) VALUES \(rows.joined(separator: ", "))"
    )
    insertionStatements[count] = statement
    return statement
  }

  /// To be called after the last row: no key that was written is given out again.
  func finish() throws {
    if greatestKey > 0 { try writer.setLastPrimaryKey(greatestKey, of: entity) }
  }

  // MARK: - Updating

  /// Compares new snapshots with the rows as they are.
  /// - Parameters:
  ///   - rows: the keys of the rows, with the positions of their snapshots.
  ///   - body: gets the position of each row that is there, its version, and the number of the update that writes the
  ///     different columns; other columns stay as they are, to the byte.
  func compare(
    _ rows: KeyedPositions, _ snapshots: [Snapshot], _ body: (_ position: Int, _ version: Int64, _ update: Int) -> Void
  ) throws {
    let statement = try writer.cached(
      "SELECT \(reader.columns) FROM \(table) AS t0 WHERE t0.Z_PK BETWEEN ?1 AND ?2 AND t0.Z_ENT = \(number) ORDER BY t0.Z_PK"
    )
    try rows.scan(statement) { position in
      let row = try reader.row(statement)
      changed.removeAll(keepingCapacity: true)
      for index in columns.indices where try !isStored(snapshots[position], index, in: row) { changed.append(index) }
      body(position, row.version, updateOfChanged())
    }
  }

  /// The number of the update that writes these properties, none of which is a composite.
  func update(of properties: PropertySet) -> Int {
    if let lastProperties, lastProperties.properties == properties { return lastProperties.update }
    changed.removeAll(keepingCapacity: true)
    for index in columns.indices {
      let isChanged =
        switch columns[index].source {
        case .attribute(let position, _), .element(let position, _, _): properties.contains(attribute: position)
        case .toOneKey(let position), .toOneEntity(let position): properties.contains(relationship: position)
        }
      if isChanged { changed.append(index) }
    }
    let update = updateOfChanged()
    lastProperties = (properties, update)
    return update
  }

  private func isStored(_ snapshot: Snapshot, _ index: Int, in row: SnapshotReader.Row) throws -> Bool {
    switch columns[index].source {
    case .attribute(let position, _): try row.has(snapshot.attribute(position), attribute: position)
    case .element(let position, let path, _):
      try row.value(attribute: position).element(at: paths[path]).isIdentical(
        to: snapshot.attribute(position).element(at: paths[path]))
    case .toOneKey(let position), .toOneEntity(let position):
      try row.destination(relationship: position) == snapshot.destination(position)
    }
  }

  /// The number of the update that writes the columns in `changed`.
  private func updateOfChanged() -> Int {
    if lastUpdate < updates.count && updates[lastUpdate].columns == changed { return lastUpdate }
    if let known = updateIndexes[changed] {
      lastUpdate = known
      return known
    }
    let names = changed.map { columns[$0].name }
    lastUpdate = updates.count
    updateIndexes[changed] = lastUpdate
    updates.append(
      Update(
        columns: changed, names: names, moved: ordered.filter { names.contains($0.key) }.map(\.relationship),
        hasExternalData: !externalColumns.isDisjoint(with: names)))
    return lastUpdate
  }

  /// Writes the columns of a snapshot that differ from its stored row, and those of the following snapshots that have
  /// the next keys and differ in the same columns.
  /// - Parameters:
  ///   - updates: the number of the update of each snapshot.
  ///   - keepsVersionsOfNewOwners: whether rows that the import made keep their versions when only their members
  ///     differ.
  /// - Returns: the number of snapshots written, at least one.
  func update(
    _ snapshots: [Snapshot], from start: Int, _ updates: [Int32], keepsVersionsOfNewOwners: Bool
  ) throws -> Int {
    let count = keepsVersionsOfNewOwners ? 1 : try runLength(snapshots, from: start, updates)
    if count >= RunUpdate.leastCount {
      try writeRun(snapshots, start..<start + count, Int(updates[start]))
    } else {
      for index in start..<start + count {
        try update(snapshots[index], Int(updates[index]), keepsVersionOfNewOwner: keepsVersionsOfNewOwners)
      }
    }
    return count
  }

  /// How many snapshots one statement can write, at least one.
  private func runLength(_ snapshots: [Snapshot], from start: Int, _ updates: [Int32]) throws -> Int {
    let update = self.updates[Int(updates[start])]
    // A log of statements would lack the values.
    guard start + 1 < snapshots.count, update.moved.isEmpty, !update.hasExternalData, !writer.connection.isTraced,
      try writesTogether()
    else { return 1 }
    let space = snapshots[start].objectID.space
    let first = snapshots[start].objectID.primaryKey ?? 0
    func isPlain(_ index: Int) -> Bool {
      update.columns.allSatisfy { column in
        guard case .attribute(let position, let kind) = columns[column].source else { return false }
        return RunUpdate.functionValue(snapshots[index].attribute(position), kind) != nil
      }
    }
    var end = start
    while end < snapshots.count, updates[end] == updates[start], snapshots[end].objectID.space === space,
      snapshots[end].objectID.primaryKey == first + Int64(end - start), isPlain(end)
    {
      end += 1
    }
    return max(end - start, 1)
  }

  private func writeRun(_ snapshots: [Snapshot], _ range: Range<Int>, _ number: Int) throws {
    // Before the statement, which names its function.
    let runUpdate = try writer.runUpdate()
    let statement: Statement
    if let known = updates[number].runStatement {
      statement = known
    } else {
      var assignments = ["Z_OPT = \(VersionCounter.next)"]
      for (position, name) in updates[number].names.enumerated() {
        assignments.append("\(name) = \(RunUpdate.value(ofColumn: position))")
      }
      statement = try writer.cached(
        "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK BETWEEN ?1 AND ?2")
      updates[number].runStatement = statement
    }
    let written = updates[number].columns.map { columns[$0].source }
    try runUpdate.write(
      statement, firstKey: snapshots[range.lowerBound].objectID.primaryKey ?? 0, count: range.count
    ) { row, column in
      guard case .attribute(let position, let kind) = written[column],
        let value = RunUpdate.functionValue(snapshots[range.lowerBound + row].attribute(position), kind)
      else { preconditionFailure("runLength lets no such value into a run") }
      return value
    }
  }

  /// Sets the unique columns that an update is going to write to NULL. It is recorded as a part of that update:
  /// afterwards the row does not show the owners that it leaves.
  func clearUniqueValues(ofRow key: Int64, changedBy number: Int) throws {
    let unique = Set(entity.uniquenessConstraints.joined()).compactMap { writer.layout.propertyColumn($0, of: entity) }
    let names = updates[number].names.filter(unique.contains)
    if names.isEmpty { return }
    let list = names.map { "\($0) = NULL" }.joined(separator: ", ")
    let statement = try writer.cached("UPDATE \(table) SET \(list) WHERE Z_PK = ?1")
    try statement.bind(1, key)
    guard let history = writer.history else { return try statement.run() }
    try history.recordingUpdate(entityNumber: self.number, key: key, columns: names) { try statement.run() }
  }

  /// Writes the columns that differ from the stored row.
  /// - Parameter keepsVersionOfNewOwner: of a row that the import made and of which only members are others, the
  ///   version stays.
  private func update(_ snapshot: Snapshot, _ number: Int, keepsVersionOfNewOwner: Bool) throws {
    let key = snapshot.objectID.primaryKey ?? 0
    if keepsVersionOfNewOwner && updates[number].columns.isEmpty && writer.isImporting
      && !writer.wasThere(key, in: entity)
    {
      return
    }
    if let history = writer.history {
      try history.recordingUpdate(entityNumber: self.number, key: key, columns: updates[number].names) {
        try write(number, snapshot, key)
      }
    } else {
      try write(number, snapshot, key)
    }
    for relationship in updates[number].moved { writer.noteMissingOrderKey(relationship, key) }
  }

  private func write(_ number: Int, _ snapshot: Snapshot, _ key: Int64) throws {
    if updates[number].hasExternalData {
      try writer.noteExternalData(of: entity, key, columns: Set(updates[number].names))
    }
    let statement = try statement(ofUpdate: number)
    try statement.bind(1, key)
    texts.removeAll()
    try unsafe withUnsafePointer(to: snapshot) { snapshot in
      let snapshots = unsafe UnsafeBufferPointer(start: snapshot, count: 1)
      for position in updates[number].columns.indices {
        try unsafe bind(snapshots, 0, key, updates[number].columns[position], to: statement, at: Int32(position + 2))
      }
    }
    try statement.run()
  }

  private func statement(ofUpdate number: Int) throws -> Statement {
    if let statement = updates[number].statement { return statement }
    var assignments = ["Z_OPT = \(VersionCounter.next)"]
    for (position, name) in updates[number].names.enumerated() { assignments.append("\(name) = ?\(position + 2)") }
    // A row that moves to another destination loses its place.
    for place in ordered where updates[number].names.contains(place.key) { assignments.append("\(place.order) = NULL") }
    let statement = try writer.cached("UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
    updates[number].statement = statement
    return statement
  }
}
