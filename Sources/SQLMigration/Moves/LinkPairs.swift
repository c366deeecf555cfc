import CoreDataLayout
import ObjectModel
import SQLite

/// How the old store keeps a relationship.
enum LinkStorage {
  /// Columns of one side's table.
  /// - `childIsOwner`: whether the relationship is asked of that side, as a to-one is.
  case columns(table: TableLayout, key: String, entity: String?, order: String?, childIsOwner: Bool)
  case join(JoinTable, JoinTable.Side)

  init?(_ relationship: Relationship, in layout: StoreLayout) {
    if relationship.definition.isTransient { return nil }
    if let key = layout.foreignKeyColumn(of: relationship), !relationship.isToMany {
      self = .columns(
        table: layout.table(for: relationship.entity), key: key.name,
        entity: layout.entityColumn(of: relationship)?.name, order: layout.orderColumn(of: relationship)?.name,
        childIsOwner: true)
    } else if let (table, side) = layout.joinTable(of: relationship) {
      self = .join(table, side)
    } else if let columns = layout.memberColumns(of: relationship) {
      self = .columns(
        table: layout.table(for: relationship.destination), key: columns.foreignKey, entity: columns.entity,
        order: columns.order, childIsOwner: false)
    } else {
      return nil
    }
  }
}

/// The pairs of objects that a relationship of the new store links, as SQL over the old one: rows of `owner`,
/// `owner_entity`, `member`, `member_entity`, `member_order` (the member's place within the owner) and `owner_order`,
/// all as they are in the new store.
struct LinkPairs {
  let moves: EntityMoves
  /// The present name of an old table.
  let table: (String) -> String

  /// An old relationship and the moves of the owners that take it over.
  struct Source {
    let old: Relationship
    let owners: [EntityMoves.Move]
  }

  /// Where a new relationship's own mappings take it from: several where sub-entities differ.
  func sources(of relationship: Relationship) -> [Source] {
    var found: [(old: Relationship, owners: [EntityMoves.Move])] = []
    for move in moves.moves(toKind: relationship.declaringEntity) {
      guard let old = moves.source(of: relationship, move), let declared = old.declaringEntity.relationship(old.name)
      else { continue }
      if let index = found.firstIndex(where: { $0.old == declared }) {
        found[index].owners.append(move)
      } else {
        found.append((declared, [move]))
      }
    }
    return found.map { Source(old: $0.old, owners: $0.owners) }
  }

  /// The pairs of a relationship as the new store has them, with the relationship's own objects as owners; nil when
  /// nothing is taken over. They come from the side that has the column, or that gives a join table its name; where
  /// that side is new, they come from the other one.
  func pairs(of relationship: Relationship) -> String? {
    guard let declared = relationship.declaringEntity.relationship(relationship.name) else { return nil }
    guard let inverse = declared.inverse.flatMap({ $0.declaringEntity.relationship($0.name) }), inverse != declared
    else {
      return own(declared, symmetric: declared.isOwnInverse && declared.isToMany)
    }
    if declared.isToMany != inverse.isToMany {
      let (child, parent) = declared.isToMany ? (inverse, declared) : (declared, inverse)
      let links = Self.union([own(child), additions(to: child, from: parent)])
      return declared.isToMany ? links.map(Self.reversed) : links
    }
    if !declared.isToMany { return Self.union([own(declared), additions(to: declared, from: inverse)]) }
    if let (join, _) = moves.new.joinTable(of: declared) {
      let isMaster = join.master.relationship == declared
      let (master, other) = isMaster ? (declared, inverse) : (inverse, declared)
      let links = own(master) ?? own(other).map(Self.reversed)
      return isMaster ? links : links.map(Self.reversed)
    }
    return own(declared) ?? own(inverse).map(Self.reversed)
  }

  /// The pairs of those children whose to-one side is new, taken from the parent's side; the children are the owners.
  func additions(to child: Relationship, from parent: Relationship) -> String? {
    let silent = moves.moves(toKind: child.declaringEntity).filter { moves.source(of: child, $0) == nil }
    guard !silent.isEmpty, let links = own(parent) else { return nil }
    let numbers = Set(silent.map { moves.new.number(of: $0.new) }).sorted().map(String.init).joined(separator: ", ")
    return "SELECT * FROM (\(Self.reversed(links))) WHERE owner_entity IN (\(numbers))"
  }

  /// The pairs by a relationship's own mappings.
  /// - Parameter symmetric: whether each pair is there in both directions, as one that is its own inverse has them.
  func own(_ relationship: Relationship, symmetric: Bool = false) -> String? {
    var parts: [String?] = []
    for source in sources(of: relationship) {
      let links = select(source, relationship)
      parts.append(links)
      if symmetric, !source.old.isOwnInverse { parts.append(links.map(Self.reversed)) }
    }
    return Self.union(parts)
  }

  private static func union(_ parts: [String?]) -> String? {
    let parts = parts.compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ")
  }

  static func reversed(_ pairs: String) -> String {
    "SELECT member AS owner, member_entity AS owner_entity, owner AS member, owner_entity AS member_entity, "
      + "owner_order AS member_order, member_order AS owner_order FROM (\(pairs))"
  }

  /// The new form of an old relationship's references, for a new relationship.
  func members(_ old: Relationship, _ new: Relationship) -> ReferenceMap {
    ReferenceMap(moves, moves.concrete(kindOf: old.destination)) { entity in
      moves.move(of: entity).flatMap { $0.new.isKind(of: new.destination) ? $0 : nil }
    }
  }

  /// The new form of references to a source's owners.
  func owners(_ source: Source) -> ReferenceMap {
    ReferenceMap(moves, moves.concrete(kindOf: source.old.declaringEntity)) { entity in
      source.owners.first { $0.old == entity }
    }
  }

  private func select(_ source: Source, _ relationship: Relationship) -> String? {
    guard let storage = LinkStorage(source.old, in: moves.old) else { return nil }
    let (owners, members) = (owners(source), members(source.old, relationship))
    let parts:
      (owner: (String, String), member: (String, String), memberOrder: String?, ownerOrder: String?, from: String)
    switch storage {
    case .columns(let table, let key, let entity, let order, let childIsOwner):
      let name = SQLText.identifier(self.table(table.name))
      let kinds = moves.concrete(kindOf: childIsOwner ? source.old.declaringEntity : source.old.destination)
      let numbers = kinds.map { String(moves.old.number(of: $0)) }.joined(separator: ", ")
      let other = childIsOwner ? source.old.destination : source.old.declaringEntity
      let target = ("s.\(key)", entity.map { "s.\($0)" } ?? String(moves.old.number(of: other)))
      let from = "\(name) AS s WHERE s.\(key) IS NOT NULL AND s.Z_ENT IN (\(numbers))"
      let child = ("s.Z_PK", "s.Z_ENT")
      parts =
        childIsOwner
        ? (child, target, nil, order.map { "s.\($0)" }, from) : (target, child, order.map { "s.\($0)" }, nil, from)
    case .join(let join, let side):
      let other = side.ownerColumn == join.master.ownerColumn ? join.inverse : join.master
      var from = "\(SQLText.identifier(self.table(join.name))) AS j"
      func entity(_ kind: Entity, _ alias: String, _ column: String) -> String {
        if kind.subentities.isEmpty { return String(moves.old.number(of: kind)) }
        let table = SQLText.identifier(self.table(moves.old.table(for: kind).name))
        from += " LEFT JOIN \(table) AS \(alias) ON \(alias).Z_PK = j.\(column)"
        return "\(alias).Z_ENT"
      }
      let owner = entity(source.old.declaringEntity, "o", side.ownerColumn)
      let member = entity(source.old.destination, "m", side.memberColumn)
      parts = (
        ("j.\(side.ownerColumn)", owner), ("j.\(side.memberColumn)", member), side.orderColumn.map { "j.\($0)" },
        other.orderColumn.map { "j.\($0)" }, from
      )
    }
    return "SELECT * FROM (SELECT \(owners.key(parts.owner.0, entity: parts.owner.1)) AS owner, "
      + "\(owners.number(parts.owner.0, entity: parts.owner.1)) AS owner_entity, "
      + "\(members.key(parts.member.0, entity: parts.member.1)) AS member, "
      + "\(members.number(parts.member.0, entity: parts.member.1)) AS member_entity, "
      + "\(parts.memberOrder ?? "NULL") AS member_order, \(parts.ownerOrder ?? "NULL") AS owner_order "
      + "FROM \(parts.from)) WHERE owner IS NOT NULL AND member IS NOT NULL"
  }
}
