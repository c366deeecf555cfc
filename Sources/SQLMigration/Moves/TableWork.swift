import CoreDataLayout
import ObjectModel

/// What is done to make one table of the new store.
struct TableWork {
  /// The rows that come from one old table.
  struct Feed {
    let old: TableLayout
    let moves: [EntityMoves.Move]
    /// What each new column gets from a row, in the order of the columns: SQL for the rows of all entities.
    let cells: [String]
    /// The same by column and move.
    let sources: [[CellSource]]
  }

  /// How the table comes to be.
  enum Method: Hashable {
    /// There was no such table before.
    case create
    /// The old one stays, with columns under other names, more columns and new values.
    case inPlace
    /// A new one is filled.
    case rewrite
  }

  let new: TableLayout
  let feeds: [Feed]
  let method: Method
  /// In place: old and new name of columns that are renamed.
  var renamed: [(from: String, to: String)] = []
  /// In place: columns that are appended.
  var appended: [TableLayout.Column] = []
  /// In place: columns that get values, by their names before renaming.
  var assigned: [(column: String, expression: String)] = []
  /// Columns of links that are filled from pairs, because the old rows do not have the link.
  var fills: [(columns: LinkColumns, pairs: String)] = []
  /// Order columns whose missing values are made up.
  var ordered: [LinkColumns] = []

  /// The columns of one link.
  struct LinkColumns {
    var key: String
    var entity: String?
    var order: String?
  }

  /// Whether no row of it is touched.
  var leavesRows: Bool { method == .inPlace && assigned.isEmpty && fills.isEmpty && ordered.isEmpty }
}

extension TableWork {
  /// - Parameter present: the columns that the old tables have in the file, in upper case, by the table's name.
  init(_ table: TableLayout, _ sources: ColumnSources, present: [String: Set<String>]) {
    let moves = sources.moves
    let feeds = moves.oldRoots(of: table.root).map { root in
      let rows = moves.moves.filter { $0.new.root == table.root && $0.old.root == root && !$0.old.isAbstract }
      return (table: moves.old.table(for: root), moves: rows)
    }.filter { !$0.moves.isEmpty }
    let cells = feeds.map { feed in table.columns.map { column in feed.moves.map { sources.cell(column, $0) } } }
    new = table
    self.feeds = zip(feeds, cells).map { feed, cells in
      Feed(
        old: feed.table, moves: feed.moves, cells: cells.map { Self.merged($0, feed.moves, moves.old) }, sources: cells)
    }
    if feeds.isEmpty {
      method = .create
    } else if feeds.count == 1,
      let kept = Self.keptColumns(
        table, feeds[0].table, feeds[0].moves, cells[0], moves, present: present[feeds[0].table.name] ?? [])
    {
      method = .inPlace
      for (index, column) in table.columns.enumerated() {
        let expression = self.feeds[0].cells[index]
        if let old = kept[column.name] {
          if old != column.name { renamed.append((old, column.name)) }
          if expression != "s.\(old)" { assigned.append((old, expression)) }
        } else {
          appended.append(column)
          if expression != "NULL" { assigned.append((column.name, expression)) }
        }
      }
    } else {
      method = .rewrite
    }
    for column in table.columns {
      switch column.role {
      case .foreignKey, .virtualForeignKey: break
      default: continue
      }
      guard let link = sources.link(column) else { continue }
      let columns = Self.linkColumns(column, table)
      if let pairs = sources.fill(link) { fills.append((columns, pairs)) }
      guard let order = columns.order, method != .create else { continue }
      let index = table.columns.firstIndex { $0.name == order } ?? 0
      let isKept = cells.allSatisfy { list in list[index].allSatisfy { $0.column != nil || !$0.applies } }
      if !isKept || fills.contains(where: { $0.columns.key == column.name }) { ordered.append(columns) }
    }
  }

  private static func linkColumns(_ key: TableLayout.Column, _ table: TableLayout) -> LinkColumns {
    switch key.role {
    case .foreignKey(let name):
      // Sub-entities of different branches may have relationships of one name.
      func companion(_ role: TableLayout.Role) -> String? {
        table.columns.first { $0.role == role && $0.entityIndex == key.entityIndex }?.name
      }
      return LinkColumns(
        key: key.name, entity: companion(.destinationEntity(relationship: name)),
        order: companion(.orderKey(relationship: name)))
    case .virtualForeignKey(let owner, let name):
      return LinkColumns(
        key: key.name, entity: table.column(.virtualDestinationEntity(owner: owner, relationship: name))?.name,
        order: table.column(.virtualOrderKey(owner: owner, relationship: name))?.name)
    default: return LinkColumns(key: key.name)
    }
  }

  /// One expression for all entities' rows. Rows of entities without the property pass where they have nothing in the
  /// old column either.
  private static func merged(_ cells: [CellSource], _ moves: [EntityMoves.Move], _ old: StoreLayout) -> String {
    let owners = moves.first.map { old.table(for: $0.old).columns } ?? []
    func isEmpty(_ column: String?, for move: EntityMoves.Move) -> Bool {
      guard let index = owners.first(where: { $0.name == column })?.entityIndex else { return false }
      return !move.old.isKind(of: old.numbering.entities[index])
    }
    guard let first = cells.first(where: \.applies) else { return "NULL" }
    let pass = zip(cells, moves).allSatisfy { cell, move in
      cell.applies ? cell.expression == first.expression : !first.replacesNull && isEmpty(first.column, for: move)
    }
    if pass || cells.allSatisfy({ $0.expression == first.expression }) { return first.expression }
    let cases = zip(moves, cells).filter { $0.1.expression != "NULL" }.map { move, cell in
      "WHEN \(old.number(of: move.old)) THEN \(cell.expression)"
    }
    return cases.isEmpty ? "NULL" : "CASE s.Z_ENT \(cases.joined(separator: " ")) END"
  }

  /// New column → old column, when the old table can become the new one by renaming and appending columns.
  private static func keptColumns(
    _ new: TableLayout, _ old: TableLayout, _ rows: [EntityMoves.Move], _ cells: [[CellSource]], _ moves: EntityMoves,
    present: Set<String>
  ) -> [String: String]? {
    let staying = moves.concrete(kindOf: old.root)
    guard staying.count == rows.count, rows.allSatisfy({ $0.offset == 0 }) else { return nil }
    let oldByName = Dictionary(old.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var kept: [String: String] = [:]
    var places: [Int] = []
    for (column, list) in zip(new.columns, cells) {
      let taken = Set(list.filter(\.applies).map(\.column))
      guard taken.count <= 1 else { return nil }
      guard case let name?? = taken.first else {
        if present.contains(column.name.uppercased()) { return nil }
        continue
      }
      guard let source = oldByName[name], source.sqlType == column.sqlType, source.isUnique == column.isUnique,
        let place = old.columns.firstIndex(where: { $0.name == name }), places.last.map({ $0 < place }) ?? true
      else { return nil }
      // A property that an entity loses must not keep values in its rows.
      for (cell, row) in zip(list, rows) where !cell.applies {
        if let owner = source.entityIndex, row.old.isKind(of: moves.old.numbering.entities[owner]) { return nil }
      }
      if name != column.name, present.contains(column.name.uppercased()) { return nil }
      kept[column.name] = name
      places.append(place)
    }
    return places.count == old.columns.count ? kept : nil
  }
}

/// What is done to make one join table of the new store.
struct JoinWork {
  enum Method: Hashable {
    /// There was none, and nothing comes into it.
    case create
    /// The old one stays, under other names perhaps.
    case inPlace(old: String)
    /// A new one is filled.
    case fill(pairs: String)
  }

  let new: JoinTable
  let method: Method
  /// In place: old and new name of columns that are renamed.
  var renamed: [(from: String, to: String)] = []

  init(_ join: JoinTable, _ pairs: LinkPairs) {
    new = join
    if let (old, renamed) = Self.kept(join, pairs) {
      method = .inPlace(old: old)
      self.renamed = renamed
    } else if let links = pairs.pairs(of: join.master.relationship) {
      method = .fill(pairs: links)
    } else {
      method = .create
    }
  }

  /// The old join table when it has just the rows of the new one, in columns of the same order.
  private static func kept(_ join: JoinTable, _ pairs: LinkPairs) -> (
    old: String, renamed: [(from: String, to: String)]
  )? {
    let own = pairs.sources(of: join.master.relationship)
    let isTurned = own.isEmpty
    let sources = isTurned ? pairs.sources(of: join.inverse.relationship) : own
    let relationship = isTurned ? join.inverse.relationship : join.master.relationship
    guard sources.count == 1, case .join(let old, let side)? = LinkStorage(sources[0].old, in: pairs.moves.old),
      old.isReflexive == join.isReflexive
    else { return nil }
    let other = side.ownerColumn == old.master.ownerColumn ? old.inverse : old.master
    let (master, inverse) = isTurned ? (other, side) : (side, other)
    guard master.ownerColumn == old.master.ownerColumn, pairs.owners(sources[0]).keepsKeys,
      pairs.members(sources[0].old, relationship).keepsKeys,
      (master.orderColumn == nil) == (join.master.orderColumn == nil),
      (inverse.orderColumn == nil) == (join.inverse.orderColumn == nil)
    else { return nil }
    var renamed: [(from: String, to: String)] = []
    func compare(_ from: String?, _ to: String?) {
      if let from, let to, from != to { renamed.append((from, to)) }
    }
    compare(master.ownerColumn, join.master.ownerColumn)
    compare(inverse.ownerColumn, join.inverse.ownerColumn)
    compare(master.orderColumn, join.master.orderColumn)
    compare(inverse.orderColumn, join.inverse.orderColumn)
    let before = Set([master, inverse].flatMap { [$0.ownerColumn, $0.orderColumn].compactMap { $0 } })
    return renamed.contains { before.contains($0.to) } ? nil : (old.name, renamed)
  }
}
