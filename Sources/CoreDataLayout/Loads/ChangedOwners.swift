import ObjectModel
import SQLite

/// Notes the objects whose to-many relationships get other members by an import into an existing store, so that each
/// such object is updated once, at the end, however the members were written.
///
/// Rows that the import adds need no note, because their keys are greater than the last key before it. For older rows,
/// temporary triggers, which belong to the connection and not to the store, note the values before the first change. So
/// a change that is taken back, or a row that is inserted and deleted again, does not count.
final class ChangedOwners {
  /// Where the members of a relationship are kept, or those of both sides.
  private enum Place {
    case column(table: String, name: String, order: String?, last: Int64, relationship: Relationship)
    case join(JoinTable)
  }

  private static let prefix = "seedbed_owner"
  private let writer: StoreWriter
  private var places: [Place] = []
  /// The tables of owners.
  private var tables: [String: (index: Int, last: Int64)] = [:]
  private var triggers: [String] = []
  /// The last row of the store's history before the import; nil where it keeps none.
  private var lastChange: Int64?

  /// Nil when the model has no to-many relationship.
  init?(_ writer: StoreWriter) throws {
    self.writer = writer
    var seen: Set<String> = []
    let layout = writer.layout
    for entity in writer.file.model.entities {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && relationship.isToMany && !relationship.definition.isTransient {
        let owners = layout.table(for: entity).name
        if tables[owners] == nil { tables[owners] = (tables.count, writer.lastKeysAtOpening[entity.root.index] ?? 0) }
        if let join = layout.joinTable(of: relationship)?.table {
          if seen.insert(join.name).inserted { places.append(.join(join)) }
        } else if let columns = layout.memberColumns(of: relationship) {
          places.append(
            .column(
              table: layout.table(for: relationship.destination).name, name: columns.foreignKey, order: columns.order,
              last: writer.lastKeysAtOpening[relationship.destination.root.index] ?? 0, relationship: relationship))
        }
      }
    }
    if places.isEmpty { return nil }
    lastChange = try writer.history?.lastChange()
    try install()
  }

  private func install() throws {
    let prefix = Self.prefix
    try writer.connection.execute(
      """
      CREATE TEMP TABLE \(prefix)_members (place INTEGER, member INTEGER, owner INTEGER, PRIMARY KEY (place, member))
        WITHOUT ROWID;
      CREATE TEMP TABLE \(prefix)_pairs (place INTEGER, owner INTEGER, member INTEGER, was INTEGER,
        PRIMARY KEY (place, owner, member)) WITHOUT ROWID;
      CREATE TEMP TABLE \(prefix)_orders (place INTEGER, side INTEGER, owner INTEGER, PRIMARY KEY (place, side, owner))
        WITHOUT ROWID;
      CREATE TEMP TABLE \(prefix)_raised (place INTEGER, key INTEGER, PRIMARY KEY (place, key)) WITHOUT ROWID;
      CREATE TEMP TABLE \(prefix)_changes (entity INTEGER, key INTEGER, change INTEGER, PRIMARY KEY (entity, key))
        WITHOUT ROWID
      """)
    for (index, place) in places.enumerated() {
      switch place {
      case .column(let table, let name, let order, let last, _):
        let note = "INSERT OR IGNORE INTO \(prefix)_members VALUES (\(index), OLD.Z_PK, OLD.\(name))"
        let change = "OLD.Z_PK <= \(last) AND OLD.\(name) IS NOT NEW.\(name)"
        try trigger("AFTER UPDATE OF \(name) ON \(table) WHEN \(change)", note)
        try trigger("AFTER DELETE ON \(table) WHEN OLD.Z_PK <= \(last)", note)
        if let order {
          try trigger(
            "AFTER UPDATE OF \(order) ON \(table) WHEN OLD.\(order) IS NOT NEW.\(order) AND OLD.\(name) IS NEW.\(name) "
              + "AND OLD.Z_PK <= \(last) AND OLD.\(order) IS NOT NULL AND NEW.\(order) IS NOT NULL",
            "INSERT OR IGNORE INTO \(prefix)_orders SELECT \(index), 0, OLD.\(name) WHERE OLD.\(name) IS NOT NULL")
        }
      case .join(let join):
        let (owner, member) = (join.master.ownerColumn, join.master.memberColumn)
        for (event, row, was) in [("INSERT", "NEW", 0), ("DELETE", "OLD", 1)] {
          try trigger(
            "AFTER \(event) ON \(join.name)",
            "INSERT OR IGNORE INTO \(prefix)_pairs VALUES (\(index), \(row).\(owner), \(row).\(member), \(was))")
        }
        for (number, side) in [join.master, join.inverse].enumerated() {
          guard let order = side.orderColumn else { continue }
          try trigger(
            "AFTER UPDATE OF \(order) ON \(join.name) WHEN OLD.\(order) IS NOT NEW.\(order)",
            "INSERT OR IGNORE INTO \(prefix)_orders VALUES (\(index), \(number), OLD.\(side.ownerColumn))")
        }
      }
    }
    for (table, (index, last)) in tables.sorted(by: { $0.value.index < $1.value.index }) where last > 0 {
      try trigger(
        "AFTER UPDATE OF Z_OPT ON \(table) WHEN OLD.Z_PK <= \(last) AND OLD.Z_OPT IS NOT NEW.Z_OPT",
        "INSERT OR IGNORE INTO \(prefix)_raised VALUES (\(index), OLD.Z_PK)")
    }
  }

  private func trigger(_ event: String, _ note: String) throws {
    let name = "\(Self.prefix)_\(triggers.count)"
    triggers.append(name)
    try writer.connection.execute("CREATE TEMP TRIGGER \(name) \(event) BEGIN \(note); END")
  }

  /// The condition on `sqlite_temp_schema` that leaves out these triggers: for rows that are written as pages, the page
  /// load notes the same values.
  static let othersCondition = "name NOT LIKE '\(prefix)\\_%' ESCAPE '\\'"

  // MARK: - Rows that are written as pages

  /// The columns of a table that name the owner of a row, as positions in its records.
  func ownerColumns(of table: TableLayout) -> [Int] {
    places.compactMap { place in
      guard case .column(table.name, let name, _, _, _) = place else { return nil }
      return table.columns.firstIndex { $0.name == name }
    }
  }

  /// Whether rows of a table may be owners.
  func isOwners(_ table: String) -> Bool { tables[table] != nil }

  /// Takes up the changes of rows that were written anew as pages.
  /// - Parameters:
  ///   - updated: keys of the rows that count one version up.
  ///   - moved: by the position of a column, keys of rows with its values before the change.
  func note(_ table: TableLayout, updated: [Int64], moved: [Int: [(key: Int64, owner: Int64?)]]) throws {
    if let index = tables[table.name]?.index {
      let raise = try Statement(writer.connection, "INSERT OR IGNORE INTO \(Self.prefix)_raised VALUES (\(index), ?1)")
      for key in updated {
        try raise.bind(1, key)
        try raise.run()
      }
    }
    for (index, place) in places.enumerated() {
      guard case .column(table.name, let name, _, _, _) = place,
        let position = table.columns.firstIndex(where: { $0.name == name })
      else { continue }
      let note = try Statement(
        writer.connection, "INSERT OR IGNORE INTO \(Self.prefix)_members VALUES (\(index), ?1, ?2)")
      for (key, owner) in moved[position] ?? [] {
        try note.bind(1, key)
        if let owner { try note.bind(2, owner) } else { try note.bindNull(2) }
        try note.run()
      }
    }
  }

  // MARK: - The end

  /// Raises the versions of the owners that the import has not updated already, and records all of them.
  /// - Returns: how many were raised.
  func raiseVersions() throws -> Int {
    for name in triggers { try writer.connection.execute("DROP TRIGGER temp.\(name)") }
    triggers = []
    var changed: [String: [Int64: Set<String>]] = [:]
    for (index, place) in places.enumerated() {
      switch place {
      case .column(let table, let name, _, let last, let relationship):
        let owners = writer.layout.table(for: relationship.entity).name
        func add(_ sql: String) throws { try collect(sql, [relationship.name], owners, &changed) }
        try add("SELECT DISTINCT \(name) FROM \(table) WHERE Z_PK > \(last)")
        try add(
          "SELECT n.owner, t.\(name) FROM \(Self.prefix)_members AS n LEFT JOIN \(table) AS t ON t.Z_PK = n.member "
            + "WHERE n.place = \(index) AND n.owner IS NOT t.\(name)")
        try add("SELECT owner FROM \(Self.prefix)_orders WHERE place = \(index)")
      case .join(let join):
        for (number, side) in [join.master, join.inverse].enumerated() {
          let owners = writer.layout.table(for: side.relationship.entity).name
          try collect(
            "SELECT n.\(number == 0 ? "owner" : "member") FROM \(Self.prefix)_pairs AS n WHERE n.place = \(index) AND "
              + "n.was <> EXISTS (SELECT 1 FROM \(join.name) WHERE \(join.master.ownerColumn) = n.owner "
              + "AND \(join.master.memberColumn) = n.member)", [side.relationship.name], owners, &changed)
          try collect(
            "SELECT owner FROM \(Self.prefix)_orders WHERE place = \(index) AND side = \(number)",
            [side.relationship.name], owners, &changed)
        }
      }
    }
    if let lastChange { try gatherChanges(after: lastChange) }
    var raised = 0
    for (table, (index, _)) in tables.sorted(by: { $0.value.index < $1.value.index }) {
      raised += try raise(table, index, changed[table] ?? [:])
    }
    return raised
  }

  /// Adds those of the owners that a query names which were there before the import.
  private func collect(
    _ sql: String, _ names: Set<String>, _ table: String, _ changed: inout [String: [Int64: Set<String>]]
  ) throws {
    let last = tables[table]?.last ?? 0
    let statement = try Statement(writer.connection, sql)
    while try statement.step() {
      for column in 0..<statement.columnCount where !statement.isNull(at: column) {
        let owner = statement.int64(at: column)
        if owner <= last { changed[table, default: [:]][owner, default: []].formUnion(names) }
      }
    }
  }

  private func raise(_ table: String, _ index: Int, _ owners: [Int64: Set<String>]) throws -> Int {
    if owners.isEmpty { return 0 }
    let connection = writer.connection
    let find = try Statement(
      connection,
      "SELECT Z_ENT, EXISTS (SELECT 1 FROM \(Self.prefix)_raised WHERE place = \(index) AND key = ?1) "
        + "FROM \(table) WHERE Z_PK = ?1")
    let row = try Statement(connection, "SELECT change FROM \(Self.prefix)_changes WHERE entity = ?1 AND key = ?2")
    let raise = try Statement(connection, "UPDATE \(table) SET Z_OPT = \(VersionCounter.next) WHERE Z_PK = ?1")
    var count = 0
    for (owner, names) in owners.sorted(by: { $0.key < $1.key }) {
      try find.bind(1, owner)
      let exists = try find.step()
      let (number, isRaised) = (Int(find.int64(at: 0)), find.int64(at: 1) != 0)
      find.reset()
      guard exists else { continue }
      if !isRaised {
        try raise.bind(1, owner)
        try raise.run()
        count += 1
      }
      guard let history = writer.history else { continue }
      try row.bind(1, Int64(number))
      try row.bind(2, owner)
      let change = try row.step() ? row.int64(at: 0) : nil
      row.reset()
      if let change {
        try history.extendUpdate(change, entityNumber: number, columns: names.sorted())
      } else {
        try history.recordUpdate(entityNumber: number, key: owner, columns: names.sorted())
      }
    }
    return count
  }

  /// Reads which updates of this import the history has already. The members are added to a row for the owner's own
  /// change, so that the history has one change of the object for the import.
  private func gatherChanges(after last: Int64) throws {
    try writer.connection.execute(
      """
      INSERT OR REPLACE INTO \(Self.prefix)_changes
        SELECT ZENTITY, ZENTITYPK, Z_PK FROM ACHANGE WHERE Z_PK > \(last) AND ZCHANGETYPE = 1 ORDER BY Z_PK
      """)
  }
}
