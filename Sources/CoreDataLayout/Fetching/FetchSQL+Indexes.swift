import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface

extension FetchSQL {
  /// Conditions over the R-trees that the predicate names: bounds of coordinates, which SQLite checks before the exact
  /// conditions.
  mutating func spatialConditions(_ request: FetchSpecification) throws -> [String] {
    var bounds: [String: (columns: Set<String>, conditions: [String])] = [:]
    for part in FetchSQL.conjuncts(of: request.predicate) {
      guard case .compare(let comparison) = part, comparison.modifier == .direct,
        case .function(.indexed, let operands) = comparison.left, operands.count == 2,
        case .keyPath(let path) = operands[0], path.count == 1, case .constant(.string(let name)) = operands[1],
        let tree = spatialIndex(named: name), let column = layout.column(for: path[0], of: root.entity)?.name
      else { continue }
      let conditions = bound(column, comparison)
      if conditions.isEmpty { continue }
      bounds[tree, default: ([], [])].columns.insert(column)
      bounds[tree, default: ([], [])].conditions += conditions
    }
    if bounds.isEmpty { return [] }
    // The file decides which trees there are. A tree has no row that lacks a coordinate, so all of them must be
    // bounded.
    return try RTree.all(in: reader.session.connection, layout).compactMap { tree in
      guard let bound = bounds[tree.name], bound.columns == Set(tree.columns) else { return nil }
      return "t0.Z_PK IN (SELECT Z_PK FROM \(tree.quotedName) WHERE \(bound.conditions.joined(separator: " AND ")))"
    }
  }

  /// A row's box surrounds its value, so the box must reach the bound.
  private mutating func bound(_ column: String, _ comparison: Comparison) -> [String] {
    func atLeast(_ value: Value) -> String { "\(column)_MAX >= \(bind(value))" }
    func atMost(_ value: Value) -> String { "\(column)_MIN <= \(bind(value))" }
    switch (comparison.comparisonOperator, comparison.right) {
    case (.greaterOrEqual, .constant(let value)), (.greater, .constant(let value)): return [atLeast(value)]
    case (.lessOrEqual, .constant(let value)), (.less, .constant(let value)): return [atMost(value)]
    case (.equal, .constant(let value)) where !value.isMissing: return [atLeast(value), atMost(value)]
    case (.between, .aggregate(let bounds)):
      guard bounds.count == 2, case .constant(let low) = bounds[0], case .constant(let high) = bounds[1] else {
        return []
      }
      return [atLeast(low), atMost(high)]
    default: return []
    }
  }

  /// The R-tree of a fetch index, when it holds every row that is asked for.
  private func spatialIndex(named name: String) -> String? {
    layout.indexes.first { index in
      guard let entity = index.entity, root.entity.isKind(of: entity) else { return false }
      return index.name == "Z_RT_\(entity.name)_\(name)"
    }?.name
  }

  /// Puts the ordinary fetch index that the predicate names behind the entity's table.
  mutating func applyIndexHints() {
    for name in indexHints {
      var entity: Entity? = root.entity
      while let here = entity {
        let full = "Z_\(here.name)_\(name)"
        if layout.indexes.contains(where: { $0.name == full && $0.entity == nil }) {
          scopes[0].base += FetchSQL.indexHintMark + SQLText.identifier(full)
          return
        }
        entity = here.superentity
      }
    }
  }
}

extension FetchSQL {
  /// What stands before the name of an index that is asked for.
  static let indexHintMark = " INDEXED BY "

  static func withoutIndexHint(_ text: String) -> String {
    guard let mark = text.range(of: indexHintMark) else { return text }
    let end = text[mark.upperBound...].dropFirst().firstIndex(of: "\"").map { text.index(after: $0) } ?? text.endIndex
    return String(text[..<mark.lowerBound] + text[end...])
  }
}
