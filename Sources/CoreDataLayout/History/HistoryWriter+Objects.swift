package import ObjectModel
import SQLite

/// Which objects a change concerns, and which of their properties.
extension HistoryWriter {
  /// The objects whose to-many relationships the row is in.
  /// - Parameter columns: names of the columns or properties that matter; nil for all.
  package func owners(_ entityNumber: Int, _ key: Int64, columns: Set<String>?) throws -> Set<Owner> {
    var result: Set<Owner> = []
    let plans = ownerPlans(entityNumber).filter { plan in
      columns.map { $0.contains(plan.column) || $0.contains(plan.relationship.name) } ?? true
    }
    guard !plans.isEmpty, let entity = layout.entity(number: entityNumber) else { return [] }
    let names = plans.map(\.column).joined(separator: ", ")
    let statement = try session.cached("SELECT \(names) FROM \(layout.table(for: entity).name) WHERE Z_PK = ?1")
    try statement.bind(1, key)
    var found: [(plan: OwnerPlan, key: Int64)] = []
    if try statement.step() {
      for (index, plan) in plans.enumerated() where !statement.isNull(at: Int32(index)) {
        found.append((plan, statement.int64(at: Int32(index))))
      }
    }
    statement.reset()
    for owner in found {
      // A delete rule may leave a reference to a deleted row, whose entity column does not show that the row is gone.
      guard let number = try self.entityNumber(of: owner.key, kindOf: owner.plan.inverse.entity) else { continue }
      result.insert(
        Owner(object: Object(entityNumber: number, key: owner.key), relationship: owner.plan.inverse.name))
    }
    return result
  }

  private func ownerPlans(_ entityNumber: Int) -> [OwnerPlan] {
    if let known = ownerPlans[entityNumber] { return known }
    let plans = (layout.entity(number: entityNumber)?.relationships ?? []).compactMap { relationship in
      relationship.inverse.flatMap { inverse -> OwnerPlan? in
        guard !relationship.isToMany, inverse.isToMany,
          let column = layout.foreignKeyColumn(of: relationship)?.name
        else { return nil }
        return OwnerPlan(relationship: relationship, inverse: inverse, column: column)
      }
    }
    ownerPlans[entityNumber] = plans
    return plans
  }

  /// The number of the very entity that a row is of; nil when there is no such row.
  func entityNumber(of key: Int64, kindOf entity: Entity) throws -> Int? {
    let statement = try session.cached("SELECT Z_ENT FROM \(layout.table(for: entity).name) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(1, key)
    return try statement.step() ? Int(statement.int64(at: 0)) : nil
  }

  /// The mask of some columns or properties.
  func mask(_ entityNumber: Int, _ columns: [String]) -> [UInt8] {
    let layout = maskLayout(entityNumber)
    var mask = [UInt8](repeating: 0, count: layout.byteCount)
    for column in columns {
      guard let bit = layout.bitByColumn[column] ?? layout.bitByProperty[column] else { continue }
      mask[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    return mask
  }

  func maskLayout(_ entityNumber: Int) -> MaskLayout {
    if let known = maskLayouts[entityNumber] { return known }
    guard let entity = layout.entity(number: entityNumber) else { return MaskLayout() }
    let mask = layout.historyMask(of: entity)
    maskLayouts[entityNumber] = mask
    return mask
  }
}

extension StoreLayout {
  /// Which bit of a changed-columns mask stands for which property of an entity.
  package func historyMask(of entity: Entity) -> HistoryWriter.MaskLayout {
    var mask = HistoryWriter.MaskLayout()
    let attributes = entity.attributes.filter { !$0.isTransient }.map(\.name)
    let relationships = entity.relationships.filter { !$0.definition.isTransient }
    var names = attributes + relationships.map(\.name)
    names.sort { $0.precedesByCodePoint($1) }
    for (bit, name) in names.enumerated() {
      mask.bitByProperty[name] = bit
      if let attribute = entity.attribute(name) {
        for column in columns(for: attribute, of: entity) { mask.bitByColumn[column.name] = bit }
      } else if let relationship = entity.relationship(name), let column = foreignKeyColumn(of: relationship) {
        mask.bitByColumn[column.name] = bit
      }
    }
    var bit = names.count
    for relationship in relationships.sortedByCodePoint(\.name) where !relationship.isToMany {
      for column in [entityColumn(of: relationship), orderColumn(of: relationship)] {
        guard let column else { continue }
        mask.bitByColumn[column.name] = bit
        bit += 1
      }
    }
    mask.byteCount = (bit + 7) / 8
    return mask
  }

  /// The attributes whose values the history keeps of a deleted object, in the order of its columns.
  package func preservedAttributes(of entity: Entity) -> [AttributeDefinition] {
    entity.attributes.filter {
      $0.preservesValueInHistoryOnDeletion && !$0.isTransient && column(for: $0.name, of: entity) != nil
    }
  }
}
