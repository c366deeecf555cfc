import ObjectModel

/// Where the layout keeps a relationship, as the pairs of owners and members that SQL can ask for.
struct RelationshipPairs {
  /// The relationship as its declaring entity has it.
  let relationship: Relationship
  let ownerTable: TableLayout
  let memberTable: TableLayout
  /// The table or query with the pairs, called `p`.
  private let source: String
  /// Columns of `p`.
  let owner: String
  let member: String
  /// The foreign key in the member's row and the columns that go with it; empty where a join table has the pairs.
  let memberColumns: [String]
  let joinTable: String?

  /// Nil for a relationship that is not stored.
  init?(_ relationship: Relationship, _ layout: StoreLayout) {
    self.relationship = relationship
    ownerTable = layout.table(for: relationship.entity)
    memberTable = layout.table(for: relationship.destination)
    if let (join, side) = layout.joinTable(of: relationship) {
      (source, owner, member) = ("\(join.name) AS p", "p.\(side.ownerColumn)", "p.\(side.memberColumn)")
      (memberColumns, joinTable) = ([], join.name)
    } else if let columns = layout.memberColumns(of: relationship) {
      (source, owner, member) = ("\(memberTable.name) AS p", "p.\(columns.foreignKey)", "p.Z_PK")
      memberColumns = [columns.foreignKey, columns.entity, columns.order].compactMap(\.self)
      joinTable = nil
    } else if !relationship.isToMany, let key = layout.foreignKeyColumn(of: relationship)?.name {
      (source, owner, member) = ("\(ownerTable.name) AS p", "p.Z_PK", "p.\(key)")
      (memberColumns, joinTable) = ([], nil)
    } else {
      return nil
    }
  }

  /// `SELECT … FROM pairs WHERE …`; pairs that lead nowhere are left out.
  func select(_ columns: String, where conditions: [String]) -> String {
    let all = conditions + ["\(owner) IS NOT NULL", "\(member) IS NOT NULL"]
    return "SELECT \(columns) FROM \(source) WHERE \(all.joined(separator: " AND "))"
  }

  /// A condition: the member has a row.
  var memberExists: String { "\(member) IN (SELECT Z_PK FROM main.\(memberTable.name))" }

  /// Every stored relationship of a model, each once, as its declaring entity has it.
  static func all(_ layout: StoreLayout) -> [RelationshipPairs] {
    layout.model.entities.flatMap { entity in
      entity.definition.relationships.filter { !$0.isTransient }.sortedByCodePoint(\.name)
        .compactMap { entity.relationship($0.name).flatMap { RelationshipPairs($0, layout) } }
    }
  }
}
