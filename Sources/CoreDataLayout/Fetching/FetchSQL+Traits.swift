import ObjectModel
import Predicates

extension FetchSQL {
  /// The column with a row's entity number, and the entities that the row can be of.
  struct EntityNames {
    /// The column with the entity's number; NULL where there is no object.
    var column: String
    var entities: [Entity]
  }

  /// A trait that objects have beside their properties.
  mutating func trait(_ trait: ObjectTrait, of owners: Operand) throws -> Operand {
    switch (trait, owners) {
    case (.identity, _): return owners
    case (.entityName, .scalar(let object)): return .scalar(try entityName(of: object))
    case (.entityName, .list(var list)):
      list.element = try entityName(of: list.element)
      return .list(list)
    case (.entityName, .values): throw Untranslatable()
    }
  }

  private mutating func entityName(of object: Scalar) throws -> Scalar {
    guard let place = object.place else { throw Untranslatable() }
    let (alias, owner) = try alias(place, object.step.map { [$0] } ?? [])
    let names = EntityNames(column: "\(alias).Z_ENT", entities: Self.kinds(of: owner.entity))
    let cases = names.entities.map { "WHEN \(layout.number(of: $0)) THEN '\($0.name)'" }
    return Scalar(
      sql: "CASE \(names.column) \(cases.joined(separator: " ")) END", kind: .text(.string), entityNames: names)
  }

  private static func kinds(of entity: Entity) -> [Entity] {
    [entity] + entity.subentities.flatMap { kinds(of: $0) }
  }

  /// The name of an entity compared with what is the same for every row: the numbers of the entities for whose names
  /// the comparison holds, which an index on them answers. Nil for another comparison.
  func entityCondition(
    _ left: Operand, _ sign: Comparison.Operator, _ right: Operand, _ options: Comparison.Options
  ) throws -> String? {
    guard case .scalar(let scalar) = left, let names = scalar.entityNames, let other = Self.fixedValue(right) else {
      return nil
    }
    let comparison = Comparison(.selfObject, sign, .selfObject, options: options)
    let numbers = names.entities.filter { comparison.holds(.value(.string($0.name)), other) }.map {
      String(layout.number(of: $0))
    }
    var parts: [String] = []
    if numbers.count == 1 { parts.append("\(names.column) = \(numbers[0])") }
    if numbers.count > 1 { parts.append("\(names.column) IN (\(numbers.joined(separator: ", ")))") }
    if comparison.holds(.missing, other) { parts.append("\(names.column) IS NULL") }
    return parts.isEmpty ? "0" : parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))"
  }

  private static func fixedValue(_ operand: Operand) -> ExpressionValue? {
    func value(_ scalar: Scalar) -> ExpressionValue? {
      scalar.kind == .nothing ? .missing : scalar.constant.map { .value($0) }
    }
    switch operand {
    case .scalar(let scalar): return value(scalar)
    case .values(let scalars):
      let values = scalars.compactMap { value($0) }
      return values.count == scalars.count ? .list(values) : nil
    case .list: return nil
    }
  }
}
