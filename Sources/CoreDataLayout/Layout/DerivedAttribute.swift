public import ObjectModel
package import Predicates

/// A stored attribute whose value is computed from other values.
public struct DerivedAttribute: Sendable {
  /// The entity that declares the attribute.
  public var entity: Entity
  /// The attribute's name.
  public var name: String
  /// The derivation expression as the model has it.
  public var expression: String
  /// Why the value is not computed here; nil when it is.
  public var obstacle: String?
  /// How the value is computed; nil when it is not.
  package var derivation: ResolvedDerivation?
}

/// A derivation against a layout.
package struct ResolvedDerivation: Sendable {
  /// A column of a table.
  package struct Column: Sendable, Hashable {
    var table: String
    var name: String
  }

  /// A to-one relationship on the way to a value.
  package struct Join: Sendable, Hashable {
    /// The foreign key, in the table before.
    var foreignKey: String
    /// The table that it leads to.
    var table: String
  }

  /// Where the members of a to-many relationship are found.
  package enum Membership: Sendable, Hashable {
    /// A column of the member's table.
    case foreignKey(String)
    case join(table: String, owner: String, member: String)
  }

  package enum Formula: Sendable, Hashable {
    case now
    case value(joins: [Join], column: String, function: DerivationFormula.TextFunction?)
    /// `result` and `filter` are SQL over the member's table, called `m`, and `read` are the columns in them.
    case aggregate(members: String, Membership, result: String, filter: String?, read: [String])
  }

  /// The table and column of the derived attribute.
  package var target: Column
  /// The entity numbers of the rows that have it.
  var numbers: String
  package var formula: Formula
  /// What the triggers of a count need: the relationship that is counted.
  var countedRelationship: Relationship?
}

extension StoreLayout {
  /// Whether an attribute is derived and computed here, and not one whose expression cannot be carried out.
  package func computes(_ attribute: String, of entity: Entity) -> Bool {
    derivedAttributes.contains { $0.name == attribute && $0.obstacle == nil && entity.isKind(of: $0.entity) }
  }

  /// Derived attributes in an order in which each comes after those that it is computed from.
  mutating func makeDerivedAttributes() -> [DerivedAttribute] {
    AttributeDerivation.all(of: entitiesByNumber).map { derivation in
      var derivation = derivation
      var derived = DerivedAttribute(
        entity: derivation.entity, name: derivation.attribute.name,
        expression: derivation.attribute.derivation?.expression ?? "")
      do throws(ModelPredicate.Refusal) {
        derived.derivation = try resolve(derivation)
      } catch {
        derivation.obstacle = error.message
      }
      derived.obstacle = derivation.obstacle
      if let note = derivation.note { notes.append(note) }
      return derived
    }
  }

  private func resolve(
    _ derivation: AttributeDerivation
  ) throws(ModelPredicate.Refusal) -> ResolvedDerivation? {
    guard let formula = derivation.formula else { return nil }
    let entity = derivation.entity
    guard let target = column(for: derivation.attribute.name, of: entity) else {
      throw ModelPredicate.Refusal(message: "it has no column of its own")
    }
    var result = ResolvedDerivation(
      target: .init(table: table(for: entity).name, name: target.name),
      numbers: numbers(ofKind: entity).map(String.init).joined(separator: ", "), formula: .now)
    switch formula {
    case .now: break
    case .value(let path, let name, let function):
      var joins: [ResolvedDerivation.Join] = []
      for relationship in path {
        guard let key = foreignKeyColumn(of: relationship) else {
          throw ModelPredicate.Refusal(
            message: "\(relationship.entity.name).\(relationship.name) is not a stored to-one relationship")
        }
        joins.append(.init(foreignKey: key.name, table: table(for: relationship.destination).name))
      }
      let column = try storedColumn(name, of: path.last?.destination ?? entity)
      result.formula = .value(joins: joins, column: column.name, function: function)
    case .aggregate(let relationship, let summed, let filter):
      if summed == nil && filter == nil { result.countedRelationship = relationship }
      result.formula = try aggregate(relationship, summed, filter, for: target)
    }
    return result
  }

  private func storedColumn(_ name: String, of entity: Entity) throws(ModelPredicate.Refusal) -> TableLayout.Column {
    guard let column = column(for: name, of: entity) else {
      throw ModelPredicate.Refusal(message: "\(entity.name) has no stored attribute \(name)")
    }
    return column
  }

  private func aggregate(
    _ relationship: Relationship, _ summed: String?, _ predicate: ModelPredicate?, for target: TableLayout.Column
  ) throws(ModelPredicate.Refusal) -> ResolvedDerivation.Formula {
    let members = table(for: relationship.destination).name
    let names = { (keyPath: String) in self.column(for: keyPath, of: relationship.destination)?.name }
    var result = "COUNT(*)"
    var read = predicate?.keyPaths.compactMap(names).sorted() ?? []
    if let summed {
      let column = try storedColumn(summed, of: relationship.destination)
      result = Self.sum(column, for: target)
      read.append(column.name)
    }
    var filter: String?
    if let predicate { filter = try predicate.sql { keyPath in names(keyPath).map { "m.\($0)" } } }
    let membership: ResolvedDerivation.Membership
    if let (join, side) = joinTable(of: relationship) {
      membership = .join(table: join.name, owner: side.ownerColumn, member: side.memberColumn)
    } else if let columns = memberColumns(of: relationship) {
      membership = .foreignKey(columns.foreignKey)
    } else {
      throw ModelPredicate.Refusal(message: "\(relationship.entity.name).\(relationship.name) is not stored")
    }
    return .aggregate(members: members, membership, result: result, filter: filter, read: read)
  }

  /// SUM gives NULL both for no members and for infinities that cancel; TOTAL tells these cases apart. An integer has
  /// no fraction.
  private static func sum(_ column: TableLayout.Column, for target: TableLayout.Column) -> String {
    let sum = column.type == .timestampOrFloat ? "TOTAL(m.\(column.name))" : "IFNULL(SUM(m.\(column.name)), 0)"
    return target.type == .integer && column.type != .integer ? "CAST(\(sum) AS INTEGER)" : sum
  }
}
