import CoreDataLayout
import ObjectModel
import SQLite

extension MigrationConditions {
  /// Mandatory attributes and elements without default whose source may be null: it was optional or derived, or another
  /// element gets a default where its composite had no value.
  func missingValues(_ table: TableWork) throws -> [MigrationCondition] {
    var result: [MigrationCondition] = []
    for (place, column) in table.new.columns.enumerated() {
      guard case .attribute(let path, let attribute) = column.role, let index = column.entityIndex,
        !attribute.isOptional, attribute.defaultValue == .null, attribute.derivation == nil
      else { continue }
      let entity = work.new.numbering.entities[index]
      let others = others(at: place, path, of: entity, table)
      for feed in table.feeds {
        let loose = feed.moves.indices.filter { position in
          let move = feed.moves[position]
          guard move.new.isKind(of: entity), let source = moves.sourceName(of: path[0], move),
            let former = move.old.attribute(source)
          else { return false }
          return isLooser(former, at: path, of: entity)
            || others?.contains { feed.sources[$0][position].replacesNull } == true
        }
        if loose.isEmpty { continue }
        // An element demands a value only while its composite has another one.
        let isThere = others.map { places in
          places.isEmpty
            ? " AND 0" : " AND coalesce(\(places.map { feed.cells[$0] }.joined(separator: ", ")), NULL) IS NOT NULL"
        }
        let count = try count(
          "SELECT count(*) FROM \(SQLText.identifier(name(feed.old.name))) AS s WHERE s.Z_ENT IN "
            + "(\(work.numbers(loose.map { feed.moves[$0] }))) AND (\(feed.cells[place])) IS NULL\(isThere ?? "")")
        guard count > 0 else { continue }
        result.append(
          MigrationCondition(
            kind: .missingValue, entity: entity.name, property: path.joined(separator: "."), count: count))
      }
    }
    return result
  }

  /// Whether an attribute, or the element of a composite at a path, could be null where the new one may not be.
  private func isLooser(_ former: AttributeDefinition, at path: [String], of entity: Entity) -> Bool {
    guard let element = former.element(at: path.dropFirst()), !element.isOptional else { return true }
    // Composites around it that an object has to have now.
    return (1..<path.count).contains { length in
      let names = path[1..<length]
      return former.element(at: names)?.isOptional == true
        && entity.attribute(path[0])?.element(at: names)?.isOptional == false
    }
  }

  /// The places of the columns that say whether an element's composite has another value; nil where the element demands
  /// one in every object.
  private func others(at place: Int, _ path: [String], of entity: Entity, _ table: TableWork) -> [Int]? {
    guard let composite = entity.attribute(path[0])?.optionalComposite(around: path) else { return nil }
    return table.new.columns.indices.filter { index in
      guard index != place, case .attribute(let other, _) = table.new.columns[index].role else { return false }
      return table.new.columns[index].entityIndex == table.new.columns[place].entityIndex
        && other.starts(with: composite)
    }
  }
}
