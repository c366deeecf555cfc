public import ObjectModel
import Predicates
import StoreInterface

/// Look-ups of many objects by key values at once, for code that finds or creates objects.
extension ManagedObjectContext {
  /// For each value, the object that has it in an attribute; nil where there is none. One fetch for all of them, new
  /// objects of this context included. Of several objects with one value, the one with the lowest primary key.
  ///
  /// An index that begins with the attribute's column makes it fast: the store is asked for the keys of the rows first.
  /// - Parameters:
  ///   - key: the name of an attribute, or a key path with dots through to-one relationships.
  ///   - values: of the attribute's type; null finds an object without a value.
  ///   - entity: whose objects, those of its sub-entities included.
  /// - Throws: what the store throws.
  public func fetch(matching key: String, values: [Value], entity: Entity) throws -> [ManagedObject?] {
    if values.isEmpty { return [] }
    let keyPath = Self.keyPath(key)
    var request = FetchSpecification(entity)
    request.predicate = .isIn(keyPath, values)
    let objects = try fetch(request)
    let found = objects.map { value(at: keyPath, of: $0) }
    try throwDeferredError()
    let places = Self.places(of: values, among: found)
    return places.map { $0.map { objects[$0] } }
  }

  /// For each value, the place where it first stands among others; nil where it does not.
  private static func places(of values: [Value], among others: [Value]) -> [Int?] {
    // Most keys are integers, which are told apart in half the time.
    let isPlain = values.allSatisfy { $0.asInteger != nil } && others.allSatisfy { $0.asInteger != nil }
    if isPlain { return places(of: values, among: others) { $0.asInteger ?? 0 } }
    return places(of: values, among: others) { EqualValue(value: $0) }
  }

  private static func places<Key: Hashable>(of values: [Value], among others: [Value], _ key: (Value) -> Key) -> [Int?]
  {
    var places: [Key: Int] = [:]
    places.reserveCapacity(others.count)
    for index in others.indices.reversed() { places[key(others[index])] = index }
    return values.map { places[key($0)] }
  }

  /// For each tuple, the object that has its values at the keys; nil where there is none. Otherwise as
  /// `fetch(matching:values:entity:)`.
  /// - Parameters:
  ///   - keys: attribute names, or key paths with dots through to-one relationships.
  ///   - tuples: as many values as keys each, of the attributes' types; null finds objects without a value.
  ///   - entity: whose objects, those of its sub-entities included.
  /// - Throws: what the store throws.
  public func fetch(matching keys: [String], tuples: [[Value]], entity: Entity) throws -> [ManagedObject?] {
    if tuples.isEmpty { return [] }
    if keys.count == 1, tuples.allSatisfy({ $0.count == 1 }) {
      return try fetch(matching: keys[0], values: tuples.map { $0[0] }, entity: entity)
    }
    let keyPaths = keys.map(Self.keyPath)
    var request = FetchSpecification(entity)
    request.predicate = .tupleIsIn(keyPaths, tuples)
    var found: [ValueTuple: ManagedObject] = [:]
    for object in try fetch(request) {
      let tuple = ValueTuple(keyPaths.map { value(at: $0, of: object) })
      if found[tuple] == nil { found[tuple] = object }
    }
    try throwDeferredError()
    return tuples.map { found[ValueTuple($0)] }
  }

  private static func keyPath(_ key: String) -> [String] {
    key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private func value(at keyPath: [String], of object: ManagedObject) -> Value {
    if keyPath.count == 1, let index = object.runtime.attributeIndex(keyPath[0]) { return object.value(at: index) }
    return ObjectSubject(object: object).value(at: keyPath)
  }
}

extension Value {
  fileprivate var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }
}

/// A value that equals another as predicates see it.
private struct EqualValue: Hashable {
  let value: Value

  static func == (left: EqualValue, right: EqualValue) -> Bool { left.value.isEqual(to: right.value) }
  func hash(into hasher: inout Hasher) { value.hashByEquality(into: &hasher) }
}
