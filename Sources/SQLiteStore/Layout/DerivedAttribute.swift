public import ObjectModel

/// A stored attribute whose value follows from others.
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
  var derivation: ResolvedDerivation?
}

/// A derivation against a layout.
struct ResolvedDerivation: Sendable {
  /// A column of a table.
  struct Column: Sendable, Hashable {
    var table: String
    var name: String
  }

  /// A to-one relationship on the way to a value.
  struct Hop: Sendable, Hashable {
    /// The foreign key, in the table before.
    var foreignKey: String
    /// The table that it leads to.
    var table: String
  }

  /// Where the members of a to-many relationship are found.
  enum Membership: Sendable, Hashable {
    /// A column of the member's table.
    case foreignKey(String)
    case join(table: String, owner: String, member: String)
  }

  enum Formula: Sendable {
    case now
    case value(hops: [Hop], column: String, function: DerivationFormula.TextFunction?)
    /// Counts members where `column` is nil, and sums it otherwise. `filter` is SQL over the member's table, called
    /// `m`, and `filterColumns` are the columns in it.
    case aggregate(members: String, Membership, column: String?, filter: String?, filterColumns: [String])
  }

  /// The table and column of the derived attribute.
  var target: Column
  /// The entity numbers of the rows that have it.
  var numbers: String
  var formula: Formula
  /// What the triggers of a count need: the relationship that is counted.
  var countedRelationship: Relationship?
}

extension StoreLayout {
  /// Derived attributes in an order in which each comes after those that it is computed from.
  mutating func makeDerivedAttributes() -> [DerivedAttribute] {
    var waiting: [DerivedAttribute] = []
    for entity in entitiesByNumber {
      for attribute in entity.description.attributes where !attribute.isTransient {
        guard let derivation = attribute.derivation else { continue }
        var derived = DerivedAttribute(entity: entity, name: attribute.name, expression: derivation.expression)
        do {
          derived.derivation = try resolve(derivation, of: attribute, in: entity)
        } catch {
          derived.obstacle = error.message
        }
        waiting.append(derived)
      }
    }
    var sorted: [DerivedAttribute] = []
    while !waiting.isEmpty {
      let open = Set(waiting.compactMap { $0.derivation?.target })
      let ready = waiting.filter { ($0.derivation?.sources ?? []).isDisjoint(with: open) }
      if ready.isEmpty {
        // What is left goes in a circle, or depends on one.
        for var derived in waiting {
          derived.derivation = nil
          derived.obstacle = "it depends, by way of others, on a derived attribute that depends on itself"
          sorted.append(derived)
        }
        break
      }
      sorted += ready
      waiting.removeAll { derived in ready.contains { $0.entity == derived.entity && $0.name == derived.name } }
    }
    for derived in sorted {
      if let obstacle = derived.obstacle {
        notes.append(
          "Derived attribute \(derived.entity.name).\(derived.name) (\(derived.expression)) is not computed: \(obstacle)."
        )
      }
    }
    return sorted
  }

  private func resolve(
    _ derivation: AttributeDescription.Derivation, of attribute: AttributeDescription, in entity: Entity
  ) throws(ModelPredicate.Refusal) -> ResolvedDerivation {
    guard let target = column(for: attribute.name, of: entity) else {
      throw ModelPredicate.Refusal(message: "it has no column of its own")
    }
    let table = table(for: entity).name
    var result = ResolvedDerivation(
      target: .init(table: table, name: target.name),
      numbers: numbers(ofKind: entity).map(String.init).joined(separator: ", "), formula: .now)
    let formula = try DerivationFormula(parsing: derivation.expression)
    switch formula {
    case .count, .sum: break
    case .now, .value:
      if derivation.filteringPredicate != nil {
        throw ModelPredicate.Refusal(message: "a filtering predicate belongs to a count or a sum")
      }
    }
    switch formula {
    case .now:
      guard attribute.type == .date else {
        throw ModelPredicate.Refusal(message: "now() needs an attribute of type Date")
      }
    case .value(let path, let function): result.formula = try value(path, function, target, entity)
    case .count(let name):
      let relationship = try toMany(name, of: entity)
      guard attribute.type.isNumber else { throw ModelPredicate.Refusal(message: "a count needs a number") }
      if derivation.filteringPredicate == nil { result.countedRelationship = relationship }
      result.formula = try aggregate(relationship, nil, derivation.filteringPredicate)
    case .sum(let name, let path):
      let relationship = try toMany(name, of: entity)
      let dotted = path.joined(separator: ".")
      guard let column = column(for: dotted, of: relationship.destination), case .attribute(_, let summed) = column.role
      else {
        throw ModelPredicate.Refusal(message: "\(relationship.destination.name) has no stored attribute \(dotted)")
      }
      guard attribute.type.isNumber, summed.type.isNumber else {
        throw ModelPredicate.Refusal(message: "a sum needs numbers")
      }
      result.formula = try aggregate(relationship, column.name, derivation.filteringPredicate)
    }
    return result
  }

  private func toMany(_ name: String, of entity: Entity) throws(ModelPredicate.Refusal) -> Relationship {
    guard let relationship = entity.relationship(name), relationship.isToMany, !relationship.description.isTransient
    else { throw ModelPredicate.Refusal(message: "\(entity.name) has no stored to-many relationship \(name)") }
    return relationship
  }

  private func value(
    _ path: [String], _ function: DerivationFormula.TextFunction?, _ target: TableLayout.Column, _ entity: Entity
  ) throws(ModelPredicate.Refusal) -> ResolvedDerivation.Formula {
    var hops: [ResolvedDerivation.Hop] = []
    var here = entity
    var rest = path[...]
    while let name = rest.first, let relationship = here.relationship(name) {
      guard !relationship.isToMany, let key = foreignKeyColumn(of: relationship) else {
        throw ModelPredicate.Refusal(message: "\(here.name).\(name) is not a stored to-one relationship")
      }
      here = relationship.destination
      hops.append(.init(foreignKey: key.name, table: table(for: here).name))
      rest.removeFirst()
    }
    let name = rest.joined(separator: ".")
    guard let column = column(for: name, of: here), case .attribute(_, let attribute) = column.role else {
      throw ModelPredicate.Refusal(message: "\(here.name) has no stored attribute \(name)")
    }
    if attribute.allowsExternalBinaryDataStorage {
      throw ModelPredicate.Refusal(message: "\(here.name).\(name) may be kept in a file")
    }
    guard column.type == target.type, column.sqlType == target.sqlType else {
      throw ModelPredicate.Refusal(message: "\(here.name).\(name) has another type")
    }
    if function != nil, attribute.type != .string {
      throw ModelPredicate.Refusal(message: "\(here.name).\(name) is no String")
    }
    return .value(hops: hops, column: column.name, function: function)
  }

  private func aggregate(
    _ relationship: Relationship, _ column: String?, _ filteringPredicate: String?
  ) throws(ModelPredicate.Refusal) -> ResolvedDerivation.Formula {
    let members = table(for: relationship.destination).name
    var filter: String?
    var filterColumns: [String] = []
    if let filteringPredicate {
      let predicate = try ModelPredicate(parsing: filteringPredicate)
      let names = { (keyPath: String) in self.column(for: keyPath, of: relationship.destination)?.name }
      filter = try predicate.sql { keyPath in names(keyPath).map { "m.\($0)" } }
      filterColumns = predicate.keyPaths.compactMap(names).sorted()
    }
    let membership: ResolvedDerivation.Membership
    if let (join, side) = joinTable(of: relationship) {
      membership = .join(table: join.name, owner: side.ownerColumn, member: side.memberColumn)
    } else if let columns = memberColumns(of: relationship) {
      membership = .foreignKey(columns.foreignKey)
    } else {
      throw ModelPredicate.Refusal(message: "\(relationship.entity.name).\(relationship.name) is not stored")
    }
    return .aggregate(members: members, membership, column: column, filter: filter, filterColumns: filterColumns)
  }
}

extension AttributeType {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: true
    default: false
    }
  }
}
