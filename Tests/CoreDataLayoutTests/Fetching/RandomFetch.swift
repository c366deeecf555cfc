import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestRows
import TestSupport

/// Random predicates, expressions and requests over a model, typed so that most of them select something.
struct RandomFetch {

  let model: ManagedObjectModel
  /// What both stores hold, for comparisons with objects.
  var objectIDs: [ObjectID]
  var random: SeededGenerator
  /// Loop variables of the subqueries around, with the entities of their objects.
  private var variables: [(name: String, entity: Entity)] = []

  init(_ model: ManagedObjectModel, objectIDs: [ObjectID] = [], seed: UInt64) {
    self.model = model
    self.objectIDs = objectIDs
    random = SeededGenerator(seed: seed)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  enum Sort {
    case number, text, date
    /// Compared for equality only.
    case other
  }

  /// The key paths of stored attributes and of elements of composites.
  static func attributes(_ entity: Entity, _ sort: Sort) -> [[String]] {
    comparable(entity).filter { leaf in
      switch (sort, leaf.attribute.type) {
      case (.number, .integer16), (.number, .integer32), (.number, .integer64), (.number, .double), (.number, .float),
        (.number, .boolean), (.number, .decimal), (.text, .string), (.date, .date), (.other, .binary), (.other, .uuid),
        (.other, .uri):
        true
      default: false
      }
    }.map(\.names)
  }

  /// Stores refuse to compare and to sort by what may lie in files of its own.
  static func comparable(_ entity: Entity) -> [StoredAttribute] {
    entity.storedLeaves.filter { !$0.attribute.allowsExternalBinaryDataStorage }
  }

  // MARK: - Key paths

  /// A path of up to two to-one relationships and the entity that it leads to.
  mutating func toOnePath(_ entity: Entity) -> (path: [String], entity: Entity) {
    var path: [String] = []
    var here = entity
    while below(3) == 0, path.count < 2 {
      let steps = here.relationships.filter { !$0.isToMany }
      if steps.isEmpty { break }
      let step = pick(steps)
      path.append(step.name)
      here = step.destination
    }
    return (path, here)
  }

  /// From the object itself or a loop variable.
  private mutating func place(_ root: Entity) -> (entity: Entity, make: ([String]) -> FetchExpression) {
    if !variables.isEmpty, below(3) > 0 {
      let variable = pick(variables)
      return (variable.entity, { $0.isEmpty ? .variable(variable.name) : .path(of: .variable(variable.name), $0) })
    }
    return (root, { $0.isEmpty ? .selfObject : .keyPath($0) })
  }

  mutating func value(_ root: Entity, _ sort: Sort) -> FetchExpression? {
    let place = place(root)
    let (path, entity) = toOnePath(place.entity)
    let names = Self.attributes(entity, sort)
    return names.isEmpty ? nil : place.make(path + pick(names))
  }

  /// A list of objects: a to-many relationship, or two of them one after the other.
  mutating func objects(_ root: Entity) -> (list: FetchExpression, entity: Entity)? {
    let place = place(root)
    let (path, entity) = toOnePath(place.entity)
    let steps = entity.relationships.filter(\.isToMany)
    if steps.isEmpty { return nil }
    let step = pick(steps)
    let further = step.destination.relationships.filter(\.isToMany)
    if below(4) == 0, !further.isEmpty {
      let next = pick(further)
      return (place.make(path + [step.name, next.name]), next.destination)
    }
    return (place.make(path + [step.name]), step.destination)
  }

  func extended(_ list: FetchExpression, _ path: [String]) -> FetchExpression {
    switch list {
    case .keyPath(let start): .keyPath(start + path)
    case .path(let base, let start): .path(of: base, start + path)
    default: .path(of: list, path)
    }
  }

  // MARK: - Expressions

  mutating func number(_ root: Entity, depth: Int) -> FetchExpression {
    if depth > 0 {
      switch below(17) {
      case 11...16: if let number = rareNumber(root, depth: depth) { return number }
      case 0:
        let sign = pick([FetchExpression.Function.add, .subtract, .multiply, .divide, .modulus])
        return .function(sign, [number(root, depth: depth - 1), number(root, depth: depth - 1)])
      case 1:
        return .function(pick([.absolute, .ceiling, .floor, .truncate]), [number(root, depth: depth - 1)])
      case 2: return .function(.length, [text(root, depth: depth - 1)])
      case 3:
        if let (list, _) = objects(root) { return .collection(.count, of: list, []) }
      case 4, 5:
        if let (list, entity) = objects(root), let name = Self.attributes(entity, .number).first {
          return .collection(pick([.sum, .average, .minimum, .maximum, .count]), of: list, name)
        }
      case 6:
        if let subquery = subquery(root, depth: depth - 1) { return .collection(.count, of: subquery, []) }
      case 7:
        return .conditional(
          predicate(root, depth: depth - 1), number(root, depth: depth - 1), number(root, depth: depth - 1))
      case 8:
        if let date = value(root, .date) { return .function(pick([.year, .month, .day, .hour, .weekday]), [date]) }
      case 9:
        if let (list, entity) = objects(root), let name = Self.attributes(entity, .number).first {
          return .element(of: extended(list, name), pick([.first, .last, .size, .at(.constant(.integer(1)))]))
        }
      default:
        if let (list, entity) = objects(root), let name = Self.attributes(entity, .number).first {
          return .function(pick([.median, .standardDeviation, .sum, .maximum]), [extended(list, name)])
        }
      }
    }
    if below(3) > 0, let value = value(root, .number) { return value }
    return pick([
      .constant(.integer(Int64(below(9)) - 2)), .constant(.double(Double(below(24)) / 4 - 2)), .constant(.null),
      .constant(.boolean(true)), .constant(.decimal(Decimal(below(24)) / 4)),
    ])
  }

  mutating func text(_ root: Entity, depth: Int) -> FetchExpression {
    if depth > 0, below(4) == 0 {
      if below(4) == 0 {
        return .function(.append, [text(root, depth: depth - 1), text(root, depth: depth - 1)])
      }
      return .function(pick([.uppercase, .lowercase, .canonical]), [text(root, depth: depth - 1)])
    }
    if below(8) == 0 {
      let place = place(root)
      return place.make(toOnePath(place.entity).path + pick([["entity"], ["entity", "name"]]))
    }
    if below(12) == 0, let value = value(root, .text) {
      return extended(value, [pick(["lowercaseString", "uppercaseString"])])
    }
    if below(16) == 0 { return .cast(number(root, depth: 0), .string) }
    if below(3) > 0, let value = value(root, .text) { return value }
    return .constant(.string(pick(Academy.texts)))
  }

  private mutating func subquery(_ root: Entity, depth: Int) -> FetchExpression? {
    guard let (list, entity) = objects(root) else { return nil }
    let name = "v\(variables.count)"
    variables.append((name, entity))
    defer { variables.removeLast() }
    return .subquery(of: list, variable: name, predicate(root, depth: depth))
  }

  // MARK: - Predicates

  mutating func predicate(_ root: Entity, depth: Int) -> FetchPredicate {
    if depth > 0 {
      switch below(9) {
      case 0, 1: return .and([predicate(root, depth: depth - 1), predicate(root, depth: depth - 1)])
      case 2, 3: return .or([predicate(root, depth: depth - 1), predicate(root, depth: depth - 1)])
      case 4: return .not(predicate(root, depth: depth - 1))
      default: break
      }
    }
    return .compare(comparison(root, depth: max(depth - 1, 0)))
  }

  private mutating func comparison(_ root: Entity, depth: Int) -> FetchPredicate.Comparison {
    let signs: [FetchPredicate.Comparison.Operator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    switch below(18) {
    case 16, 17: if let comparison = identity(root) { return comparison }
    case 14:
      let place = place(root)
      return textComparison(
        place.make(toOnePath(place.entity).path + ["entity"]), root, depth: 0, modifier: .direct,
        names: model.entities.map(\.name))
    case 15:
      guard let (list, entity) = objects(root) else { break }
      return textComparison(
        extended(list, toOnePath(entity).path + ["entity", "name"]), root, depth: 0, modifier: pick([.any, .all]),
        names: model.entities.map(\.name))
    case 0, 1, 2: return .init(number(root, depth: depth), pick(signs), number(root, depth: depth))
    case 3: return textComparison(text(root, depth: depth), root, depth: depth, modifier: .direct)
    case 4:
      let list = FetchExpression.aggregate(
        (0..<below(4)).map { _ in .constant(.integer(Int64(below(9)))) } + [.constant(.null)])
      return .init(number(root, depth: depth), .isIn, list)
    case 5:
      return .init(
        number(root, depth: depth), .between,
        .aggregate([number(root, depth: 0), .constant(.integer(Int64(below(9))))]))
    case 6, 7:
      guard let (list, entity) = objects(root) else { break }
      let modifier = pick([FetchPredicate.Comparison.Modifier.any, .all])
      if below(2) == 0, let name = Self.attributes(entity, .text).first {
        return textComparison(extended(list, name), root, depth: depth, modifier: modifier)
      }
      guard let name = Self.attributes(entity, .number).first else { break }
      return .init(extended(list, name), pick(signs), number(root, depth: depth), modifier: modifier)
    case 8:
      guard let subquery = subquery(root, depth: depth) else { break }
      return .init(.collection(.count, of: subquery, []), pick(signs), .constant(.integer(Int64(below(3)))))
    case 9:
      guard let (list, entity) = objects(root), let name = Self.attributes(entity, .number).first else { break }
      return .init(number(root, depth: 0), .isIn, extended(list, name))
    case 11:
      guard let date = value(root, .date) else { break }
      if below(6) == 0 { return .init(date, pick(signs), .function(.now, [])) }
      if below(6) == 0 { return .init(date, pick(signs), .cast(number(root, depth: depth), .date)) }
      let constant = FetchExpression.constant(
        .date(Date(timeIntervalSinceReferenceDate: Double(below(800) - 400) * 43_200)))
      return .init(date, pick(signs), value(root, .date).flatMap { below(2) == 0 ? $0 : nil } ?? constant)
    case 12:
      guard let left = value(root, .other) else { break }
      let constants: [Value] = [
        .data(Data([UInt8(below(3))])), .data(Data()), .uuid(RandomStores.uuid(below(4))), .null,
        URL(string: "https://example.org/\(below(4))").map { .uri($0) } ?? .null,
      ]
      return .init(
        left, pick([.equal, .notEqual]),
        value(root, .other).flatMap { below(4) == 0 ? $0 : nil } ?? .constant(pick(constants)))
    case 10:
      let place = place(root)
      let steps = place.entity.relationships.filter { !$0.isToMany }
      if steps.isEmpty { break }
      return .init(place.make([pick(steps).name]), pick([.equal, .notEqual]), .constant(.null))
    default:
      guard let (list, entity) = objects(root),
        let step = root.relationships.first(where: {
          !$0.isToMany && $0.destination.root == entity.root
        })
      else { break }
      return .init(.keyPath([step.name]), .isIn, list)
    }
    return .init(number(root, depth: 0), pick(signs), number(root, depth: 0))
  }

  private mutating func textComparison(
    _ left: FetchExpression, _ root: Entity, depth: Int, modifier: FetchPredicate.Comparison.Modifier,
    names: [String] = []
  ) -> FetchPredicate.Comparison {
    let sign = pick([
      FetchPredicate.Comparison.Operator.equal, .notEqual, .less, .greaterOrEqual, .beginsWith, .endsWith, .contains,
      .like,
      .matches, .isIn,
    ])
    let right: FetchExpression =
      switch sign {
      case .like: .constant(.string(pick(["*", "a*", "?", "*a", "stop ?*", "A?B", "b%"])))
      case .matches: .constant(.string(pick(["a.*", "[ab]+", ".", "stop [0-9]+", "ß|a"])))
      case .isIn where names.isEmpty:
        .aggregate([.constant(.string(pick(Academy.texts))), .constant(.string(pick(Academy.texts)))])
      case .isIn: .aggregate([.constant(.string(pick(names))), .constant(pick([.null, .string(pick(names))]))])
      case _ where !names.isEmpty && below(4) > 0: .constant(.string(pick(names)))
      default: text(root, depth: depth)
      }
    let options = pick([
      FetchPredicate.Comparison.Options(), [.caseInsensitive], [.caseInsensitive, .diacriticInsensitive], [.normalized],
      [.localized], [.diacriticInsensitive],
    ])
    return .init(left, sign, right, modifier: modifier, options: options)
  }

  /// Objects compared with objects that are given.
  private mutating func identity(_ root: Entity) -> FetchPredicate.Comparison? {
    let place = place(root)
    let (path, entity) = toOnePath(place.entity)
    guard case .permanent(let store, _)? = objectIDs.first?.reference else { return nil }
    func object(_ entity: Entity) -> FetchExpression {
      let known = objectIDs.filter { $0.entity.isKind(of: entity) }
      // Now and then one that is not there.
      if !known.isEmpty, below(6) > 0 { return .object(pick(known)) }
      return .object(ObjectID(entity: entity, reference: .permanent(store: store, primaryKey: 1_000)))
    }
    let objects = (0..<below(4)).map { _ in object(entity) }
    switch below(4) {
    case 0: return .init(place.make(path), .isIn, .aggregate(objects))
    case 1: return .init(place.make(path + ["objectID"]), .isIn, .aggregate(objects))
    case 2: return .init(place.make(path), pick([.equal, .notEqual]), object(entity))
    default:
      guard let (list, entity) = self.objects(root) else { return nil }
      return .init(list, .equal, object(entity), modifier: pick([.any, .all]))
    }
  }
}

extension InMemoryStore {
  var allObjectIDs: [ObjectID] {
    get throws { try model.entities.filter { $0.superentity == nil }.flatMap { try objectIDs(FetchSpecification($0)) } }
  }
}
