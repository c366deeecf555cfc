public import ObjectModel

/// The triggers that keep one derived attribute.
public struct TriggerLayout: Sendable {
  /// The entity that declares the attribute.
  public var entity: Entity
  /// The derived attribute's name.
  public var attribute: String
  /// The triggers' names, in the order of their statements.
  public var names: [String]
  /// The statements that Core Data writes.
  public var createStatements: [String]
  /// Computes the attribute for all rows at once, as the triggers would have.
  public var fillStatement: String
}

extension StoreLayout {
  /// Triggers for `count:(relationship)` over a to-many relationship whose inverse is to-one. Other derivations get a
  /// note: their triggers' texts are not known, so their values are left as they are written.
  mutating func makeTriggers() -> [TriggerLayout] {
    var result: [TriggerLayout] = []
    for entity in entitiesByNumber {
      for attribute in entity.description.attributes where !attribute.isTransient {
        guard let derivation = attribute.derivation else { continue }
        if let trigger = countTrigger(attribute, derivation, of: entity) {
          result.append(trigger)
        } else {
          notes.append(
            "Derived attribute \(entity.name).\(attribute.name) (\(derivation.expression)) gets no triggers; its value "
              + "is not kept up to date here.")
        }
      }
    }
    return result
  }

  /// The relationship that a derivation counts: `count:(pages)` in compiled models, `pages.@count` in the editor.
  private static func countedRelationship(_ text: String) -> String? {
    if text.hasPrefix("count:("), text.hasSuffix(")") { return String(text.dropFirst("count:(".count).dropLast()) }
    return text.hasSuffix(".@count") ? String(text.dropLast(".@count".count)) : nil
  }

  private func countTrigger(
    _ attribute: AttributeDescription, _ derivation: AttributeDescription.Derivation, of entity: Entity
  ) -> TriggerLayout? {
    guard derivation.filteringPredicate == nil, let name = Self.countedRelationship(derivation.expression),
      let relationship = entity.relationship(name), relationship.isToMany,
      let members = memberColumns(of: relationship), relationship.inverse != nil,
      let target = column(for: attribute.name, of: entity)?.name
    else { return nil }
    let source = table(for: entity).name
    let member = table(for: relationship.destination).name
    let key = members.foreignKey
    let stem = "\(entity.name)_\(attribute.name)"

    func report(_ function: String, _ row: String) -> String {
      "SELECT NSCoreDataDATrigger\(function)AffectedObjectValue('\(source)', Z_ENT, Z_PK, '\(attribute.name)', "
        + "\(target)) FROM \(source) WHERE Z_PK = \(row);"
    }
    func onMember(_ suffix: String, _ event: String, _ row: String, _ value: String) -> (String, String) {
      let name = "Z_DA_\(member)_\(stem)_PARAMETER_\(suffix)"
      return (
        name,
        "CREATE TRIGGER \(name) AFTER \(event) ON \(member) FOR EACH ROW WHEN (\(row).\(key) NOT NULL) BEGIN "
          + "UPDATE \(source) SET \(target) = \(value) WHERE Z_PK = \(row).\(key); "
          + report("Updated", "\(row).\(key)") + " END"
      )
    }
    let insertName = "Z_DA_\(source)_\(stem)_SOURCE_INSERT"
    func counted(_ row: String) -> String { "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(member) WHERE \(key) = \(row))" }
    let triggers = [
      onMember("INSERT", "INSERT", "NEW", "IFNULL(\(target), 0) + 1"),
      onMember("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(target) + 1"),
      onMember("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(target) - 1"),
      onMember("DELETE", "DELETE", "OLD", "\(target) - 1"),
      (
        insertName,
        "CREATE TRIGGER \(insertName) AFTER INSERT ON \(source) FOR EACH ROW BEGIN UPDATE \(source) SET \(target) = "
          + counted("NEW.Z_PK") + " WHERE Z_PK = NEW.Z_PK; " + report("InsertUpdated", "NEW.Z_PK") + " END"
      ),
    ]
    let kinds = numbers(ofKind: entity).map(String.init).joined(separator: ", ")
    return TriggerLayout(
      entity: entity, attribute: attribute.name, names: triggers.map(\.0), createStatements: triggers.map(\.1),
      fillStatement: "UPDATE \(source) SET \(target) = \(counted("\(source).Z_PK")) WHERE Z_ENT IN (\(kinds))")
  }
}
