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

  /// The three triggers by which Core Data keeps an R-tree, blank by blank.
  static func rTreeStatements(name: String, source: String, columns: [String]) -> [String] {
    let ranges = columns.map { "\($0)_MIN, \($0)_MAX" }.joined(separator: ", ")
    let values = columns.enumerated().map { index, column in
      "NEW.\(column)\(index == 0 ? " ," : ", ")NEW.\(column)"
    }.joined(separator: ", ")
    let row = "INTO \(name) (Z_PK, \(ranges)) VALUES (NEW.Z_PK, \(values)) ; END"
    return [
      "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(source) FOR EACH ROW BEGIN INSERT OR REPLACE \(row)",
      "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON \(source) FOR EACH ROW BEGIN "
        + "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(row)",
      "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(source) FOR EACH ROW BEGIN "
        + "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END",
    ]
  }
}

extension StoreLayout {
  /// Every trigger of a new store, those of R-trees last.
  package var triggerStatements: [String] {
    triggers.flatMap(\.createStatements)
      + indexes.flatMap { index in
        guard case .rTree(let columns) = index.kind else { return [String]() }
        return TriggerLayout.rTreeStatements(name: index.name, source: index.table, columns: columns)
      }
  }

  /// Triggers for `count:(relationship)` over a to-many relationship whose inverse is to-one, and for the value of an
  /// attribute through one to-one relationship: the derivations whose triggers are known to the letter. Other derived
  /// attributes get a note: this library keeps their values itself, but an app that writes to the store later does not.
  mutating func makeTriggers() -> [TriggerLayout] {
    var result: [TriggerLayout] = []
    for derived in derivedAttributes where derived.obstacle == nil {
      if let trigger = countTrigger(derived) ?? keyPathTrigger(derived) {
        result.append(trigger)
      } else {
        notes.append(
          "Derived attribute \(derived.entity.name).\(derived.name) (\(derived.expression)) has its value but no "
            + "triggers, since Core Data's own are not known: an app that changes what it is derived from may leave "
            + "it as it is.")
      }
    }
    return result
  }

  /// The tables are those of the hierarchies. Rows of entities without the attribute have no foreign key either, so
  /// that the triggers leave them as they are.
  private func keyPathTrigger(_ derived: DerivedAttribute) -> TriggerLayout? {
    guard let derivation = derived.derivation, case .value(let joins, let read, nil) = derivation.formula,
      joins.count == 1
    else { return nil }
    let (table, target) = (derivation.target.table, derivation.target.name)
    let (source, key) = (joins[0].table, joins[0].foreignKey)
    let stem = "\(derived.entity.name)_\(derived.name)"

    func report(_ function: String, _ condition: String) -> String {
      "SELECT NSCoreDataDATrigger\(function)AffectedObjectValue('\(table)', Z_ENT, Z_PK, '\(derived.name)', "
        + "\(target)) FROM \(table) WHERE \(condition); END"
    }
    func onOwner(_ suffix: String, _ event: String, _ function: String) -> (String, String) {
      let name = "Z_DA_\(table)_\(stem)_SOURCE_\(suffix)"
      return (
        name,
        "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW BEGIN UPDATE \(table) SET \(target) = "
          + "(SELECT \(read) FROM \(source) WHERE Z_PK = NEW.\(key)) WHERE Z_PK = NEW.Z_PK; "
          + report(function, "Z_PK = NEW.Z_PK")
      )
    }
    func onSource(_ suffix: String, _ event: String, _ function: String) -> (String, String) {
      let name = "Z_DA_\(source)_\(stem)_PARAMETER_\(suffix)"
      return (
        name,
        "CREATE TRIGGER \(name) AFTER \(event) ON \(source) FOR EACH ROW BEGIN UPDATE \(table) SET \(target) = "
          + "NEW.\(read) WHERE \(key) = NEW.Z_PK; " + report(function, "\(key) = NEW.Z_PK")
      )
    }
    let triggers = [
      onOwner("INSERT", "INSERT", "InsertUpdated"), onOwner("UPDATE", "UPDATE OF \(key)", "Updated"),
      onSource("INSERT", "INSERT", "InsertUpdated"), onSource("UPDATE", "UPDATE OF \(read)", "Updated"),
    ]
    return TriggerLayout(
      entity: derived.entity, attribute: derived.name, names: triggers.map(\.0), createStatements: triggers.map(\.1))
  }

  private func countTrigger(_ derived: DerivedAttribute) -> TriggerLayout? {
    guard let derivation = derived.derivation, let relationship = derivation.countedRelationship,
      relationship.inverse != nil, let members = memberColumns(of: relationship)
    else { return nil }
    let target = derivation.target.name
    let source = derivation.target.table
    let member = table(for: relationship.destination).name
    let key = members.foreignKey
    let stem = "\(derived.entity.name)_\(derived.name)"

    func report(_ function: String, _ row: String) -> String {
      "SELECT NSCoreDataDATrigger\(function)AffectedObjectValue('\(source)', Z_ENT, Z_PK, '\(derived.name)', "
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
    let triggers = [
      onMember("INSERT", "INSERT", "NEW", "IFNULL(\(target), 0) + 1"),
      onMember("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(target) + 1"),
      onMember("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(target) - 1"),
      onMember("DELETE", "DELETE", "OLD", "\(target) - 1"),
      (
        insertName,
        "CREATE TRIGGER \(insertName) AFTER INSERT ON \(source) FOR EACH ROW BEGIN UPDATE \(source) SET \(target) = "
          + "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(member) WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
          + report("InsertUpdated", "NEW.Z_PK") + " END"
      ),
    ]
    return TriggerLayout(
      entity: derived.entity, attribute: derived.name, names: triggers.map(\.0), createStatements: triggers.map(\.1))
  }
}
