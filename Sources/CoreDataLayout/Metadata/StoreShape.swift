package import ObjectModel
import SQLite

/// The columns of a store's tables: by them versions of a model are told apart where version hashes are not sure and
/// the store carries no model.
package struct StoreShape: Sendable {
  /// Columns by table, both in upper case.
  private let tables: [String: Set<String>]
  private let generation: FrameworkGeneration

  /// Reads the tables and columns of a store without changing it.
  /// - Throws: `StoreError`.
  package init(storeAt path: String) throws {
    (tables, generation) = try ReadOnlyAccess.withConnection(to: path) { connection in
      let list = try Statement(
        connection,
        "SELECT t.name, c.name FROM sqlite_master AS t JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table'")
      var tables: [String: Set<String>] = [:]
      while try list.step() {
        tables[(list.string(at: 0) ?? "").uppercased(), default: []].insert((list.string(at: 1) ?? "").uppercased())
      }
      let version = try StoreMetadata(connection).frameworkVersion
      return (tables, version.map { FrameworkGeneration(version: $0) } ?? .newest)
    }
  }

  /// How many columns there are besides those of a model; nil where some that the model needs are not there.
  package func excess(over model: ManagedObjectModel) -> Int? {
    let needed = columns(StoreLayout(model: model, generation: generation))
    var excess = 0
    for (table, columns) in needed {
      guard let present = tables[table], present.isSuperset(of: columns) else { return nil }
      excess += present.count - columns.count
    }
    // A relationship that has a table of its own in another version.
    let others = tables.filter { needed[$0.key] == nil && Self.isJoinTable($0.key) }
    return excess + others.values.reduce(0) { $0 + $1.count }
  }

  /// The entities of a model whose tables have all columns that they need.
  package func entities(of model: ManagedObjectModel) -> Set<String> {
    let layout = StoreLayout(model: model, generation: generation)
    let needed = columns(layout)
    return Set(
      model.entities.filter { entity in
        let table = layout.table(for: entity).name.uppercased()
        return tables[table]?.isSuperset(of: needed[table] ?? []) ?? false
      }.map(\.name))
  }

  private func columns(_ layout: StoreLayout) -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for table in layout.tables { result[table.name.uppercased()] = Set(table.columns.map { $0.name.uppercased() }) }
    for join in layout.joinTables {
      let columns = [join.master, join.inverse].flatMap { [$0.ownerColumn, $0.orderColumn].compactMap { $0 } }
      result[join.name.uppercased()] = Set(columns.map { $0.uppercased() })
    }
    return result
  }

  /// Such as `Z_2ITEMS`.
  private static func isJoinTable(_ name: String) -> Bool {
    name.hasPrefix("Z_") && name.dropFirst(2).first.map { "0"..."9" ~= $0 } ?? false
  }
}
