import ObjectModel
import Predicates
import StoreInterface

/// The parts of a request on which the text of its SELECT depends, without the values, which become parameters.
/// Requests of one shape share the text, because making it takes longer than a short fetch.
///
/// Only what is common has a shape: comparisons of key paths with constants, beginnings of text, references to objects,
/// and counts of subqueries of these.
struct FetchShape {
  /// Compares and hashes as bytes.
  struct Key: Hashable {
    fileprivate var bytes: [UInt8] = []

    func hash(into hasher: inout Hasher) {
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
  }

  private(set) var key = Key()
  private(set) var parameters: [Value] = []
  private let file: StoreFile

  /// Nil for a request that has no shape.
  init?(_ request: FetchSpecification, _ file: StoreFile) {
    self.file = file
    key.bytes.reserveCapacity(256)
    append(request.entity.index)
    append(request.fetchLimit)
    append(request.fetchOffset)
    key.bytes.append(request.includesSubentities ? 1 : 0)
    for descriptor in request.sortDescriptors {
      append(descriptor.keyPath)
      key.bytes.append(descriptor.isAscending ? 1 : 0)
      switch descriptor.comparison {
      case .binary: key.bytes.append(0)
      case .localizedStandard: key.bytes.append(1)
      case .caseInsensitive: key.bytes.append(2)
      }
    }
    key.bytes.append(Mark.end)
    guard append(request.predicate) else { return nil }
  }

  /// Whether the bound values are in the order of the parameters and distinct, so that the statement's text can be
  /// reused.
  func explains(_ bound: [Value]) -> Bool {
    guard bound.count == parameters.count else { return false }
    for (index, value) in parameters.enumerated() {
      if !value.isIdentical(to: bound[index]) { return false }
      if parameters[..<index].contains(where: { $0.isIdentical(to: value) }) { return false }
    }
    return true
  }

  /// What stands before the parts of a key. Names are UTF-8, in which none of these bytes occurs.
  private enum Mark {
    static let all: UInt8 = 0xF5
    static let none: UInt8 = 0xF6
    static let and: UInt8 = 0xF7
    static let or: UInt8 = 0xF8
    static let not: UInt8 = 0xF9
    static let comparison: UInt8 = 0xFA
    static let object: UInt8 = 0xFB
    static let path: UInt8 = 0xFC
    static let variable: UInt8 = 0xFD
    static let count: UInt8 = 0xFE
    static let end: UInt8 = 0xFF
  }

  private mutating func append(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number))
    for _ in 0..<8 {
      key.bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  private mutating func append(_ path: FetchPredicate.KeyPath) {
    key.bytes.append(Mark.path)
    for name in path {
      key.bytes.append(contentsOf: name.utf8)
      key.bytes.append(Mark.end)
    }
  }

  private mutating func append(_ predicate: FetchPredicate) -> Bool {
    switch predicate {
    case .all: key.bytes.append(Mark.all)
    case .none: key.bytes.append(Mark.none)
    case .and(let parts): return append(parts, Mark.and)
    case .or(let parts): return append(parts, Mark.or)
    case .not(let part):
      key.bytes.append(Mark.not)
      return append(part)
    case .comparison(let path, let sign, let value):
      append(path)
      return append(sign.general, [], value)
    case .refersTo(let path, let objectID?):
      append(path)
      return append(.equal, objectID)
    case .compare(let comparison): return append(comparison)
    case .refersTo, .isIn, .tupleIsIn, .selfIsIn, .block: return false
    }
    return true
  }

  private mutating func append(_ parts: [FetchPredicate], _ mark: UInt8) -> Bool {
    key.bytes.append(mark)
    for part in parts where !append(part) { return false }
    key.bytes.append(Mark.end)
    return true
  }

  private mutating func append(_ comparison: FetchSQL.Comparison) -> Bool {
    guard comparison.modifier == .direct else { return false }
    switch comparison.left {
    case .keyPath(let path): append(path)
    case .path(.variable(let name), let path):
      append(variable: name)
      append(path)
    case .collection(.count, .subquery(.keyPath(let path), let variable, let predicate), []):
      // The number decides what the statement is.
      guard case .constant(.integer(let limit)) = comparison.right else { return false }
      key.bytes.append(Mark.count)
      key.bytes.append(Self.number(of: comparison.comparisonOperator))
      append(Int(limit))
      append(path)
      append(variable: variable)
      return append(predicate)
    default: return false
    }
    switch comparison.right {
    case .constant(let value): return append(comparison.comparisonOperator, comparison.options, value)
    case .object(let objectID): return append(comparison.comparisonOperator, objectID)
    default: return false
    }
  }

  private mutating func append(variable: String) {
    key.bytes.append(Mark.variable)
    key.bytes.append(contentsOf: variable.utf8)
  }

  /// What a key path is compared with: the kind goes to the key, the value to the parameters.
  private mutating func append(
    _ sign: FetchSQL.Comparison.Operator, _ options: FetchSQL.Comparison.Options, _ value: Value
  ) -> Bool {
    if value.isMissing { return false }
    key.bytes += [Mark.comparison, Self.number(of: sign), options.rawValue, Self.number(of: value)]
    let isByBytes = options.isEmpty || options.contains(.normalized)
    switch sign {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      if !isByBytes && value.text != nil { return false }
      parameters.append(value)
    case .beginsWith:
      guard isByBytes, case .string(let text) = value, !text.isEmpty, let end = FetchSQL.successor(of: text) else {
        return false
      }
      parameters += [.string(text), .string(end)]
    default: return false
    }
    return true
  }

  private mutating func append(_ sign: FetchSQL.Comparison.Operator, _ objectID: ObjectID) -> Bool {
    guard sign == .equal || sign == .notEqual, let primaryKey = file.primaryKey(of: objectID) else { return false }
    key.bytes += [Mark.object, Self.number(of: sign)]
    append(objectID.entity.index)
    parameters.append(.integer(primaryKey))
    return true
  }

  private static func number(of sign: FetchSQL.Comparison.Operator) -> UInt8 {
    switch sign {
    case .equal: 0
    case .notEqual: 1
    case .less: 2
    case .lessOrEqual: 3
    case .greater: 4
    case .greaterOrEqual: 5
    case .between: 6
    case .isIn: 7
    case .contains: 8
    case .beginsWith: 9
    case .endsWith: 10
    case .like: 11
    case .matches: 12
    }
  }

  private static func number(of value: Value) -> UInt8 {
    switch value {
    case .null: 0
    case .integer: 1
    case .boolean: 2
    case .double: 3
    case .decimal: 4
    case .string: 5
    case .date: 6
    case .data: 7
    case .uuid: 8
    case .uri: 9
    case .composite: 10
    }
  }
}
