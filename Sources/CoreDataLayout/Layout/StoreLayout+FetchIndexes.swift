import ObjectModel
import Predicates

extension StoreLayout {
  /// The attribute of a fetch index over all rows that has only this one element; nil for other indexes.
  func singleAttribute(of index: FetchIndexDefinition, _ entity: Entity) -> String? {
    guard index.elements.count == 1, index.partialIndexPredicate == nil, index.elements[0].kind == .binary,
      case .property(let name) = index.elements[0].content, entity.attribute(name) != nil
    else { return nil }
    return name
  }

  /// SQLite's limit for R-trees.
  private static let mostDimensions = 5

  mutating func fetchIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    var result: [IndexLayout] = []
    for index in entity.definition.fetchIndexes {
      // To-many relationships have no column, and a foreign key has an index already.
      let elements = index.elements.filter { !isToMany($0, entity) }
      if elements.isEmpty, !index.elements.isEmpty { continue }
      if elements.count == 1, case .property(let name) = elements[0].content, entity.relationship(name) != nil {
        continue
      }
      if generation.namesIndexesByAttribute, singleAttribute(of: index, entity) != nil { continue }
      if generation.usesLegacyIndexNames {
        notes.append("Index \(entity.name).\(index.name) is left out: the framework has no fetch indexes.")
        continue
      }
      let columns = elements.map { ($0, elementColumn($0, of: entity)) }
      guard !columns.isEmpty, columns.allSatisfy({ $0.1 != nil }) else {
        notes.append("Index \(entity.name).\(index.name) has an element that no column stands for; it is left out.")
        continue
      }
      if elements.contains(where: { $0.kind == .rTree }) {
        guard elements.allSatisfy({ $0.kind == .rTree }) else {
          notes.append("Index \(entity.name).\(index.name) mixes binary and R-tree elements; it is left out.")
          continue
        }
        guard columns.count <= Self.mostDimensions else {
          notes.append(
            "R-tree \(entity.name).\(index.name) is left out: SQLite's have at most \(Self.mostDimensions) dimensions.")
          continue
        }
        result.append(rTree(index, columns.compactMap(\.1), entity, table))
        continue
      }
      result.append(
        ordinaryIndex(
          "Z_\(entity.name)_\(index.name)", table,
          columns.compactMap { pair in pair.1.map { ($0, pair.0.isAscending) } },
          condition: condition(of: index, entity)
        ))
    }
    return result
  }

  /// The WHERE clause of a partial index; a compound one stands in parentheses. A predicate that has no meaning in SQL
  /// leaves an index over all rows, which serves the same lookups.
  private mutating func condition(of index: FetchIndexDefinition, _ entity: Entity) -> String? {
    guard let text = index.partialIndexPredicate else { return nil }
    do {
      let predicate = try ModelPredicate(parsing: text)
      let condition = try predicate.sql { propertyColumn($0, of: entity) }
      let text = predicate.isCompound ? "(\(condition))" : condition
      if predicate.isConfirmed { return text }
      notes.append(
        "Index \(entity.name).\(index.name) is partial; its condition \(text) means the same as the model's, but "
          + "Core Data may write it in other words.")
      return text
    } catch {
      notes.append(
        "Index \(entity.name).\(index.name) is partial in the model, by a predicate that cannot be part of a schema "
          + "(\(error.message)); it is made over all rows, which serves the same lookups.")
      return nil
    }
  }

  private mutating func rTree(
    _ index: FetchIndexDefinition, _ columns: [String], _ entity: Entity, _ table: TableLayout
  ) -> IndexLayout {
    if index.partialIndexPredicate != nil {
      notes.append("R-tree \(entity.name).\(index.name) is partial in the model; it is made over all rows.")
    }
    let name = "Z_RT_\(entity.name)_\(index.name)"
    let ranges = columns.map { "\($0)_MIN FLOAT, \($0)_MAX FLOAT" }.joined(separator: ", ")
    return IndexLayout(
      name: name, table: table.name, kind: .rTree(columns: columns),
      createStatement: "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(ranges))",
      entity: entity)
  }

  private func isToMany(_ element: FetchIndexDefinition.Element, _ entity: Entity) -> Bool {
    if case .property(let name) = element.content { entity.relationship(name)?.isToMany == true } else { false }
  }

  /// An expression may also be the name of a property.
  private func elementColumn(_ element: FetchIndexDefinition.Element, of entity: Entity) -> String? {
    switch element.content {
    case .property(let name), .expression(let name, _): indexedColumn(name, of: entity)
    }
  }
}
