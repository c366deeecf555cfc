import Foundation
import ObjectModel

/// What predicates can be evaluated with beside the objects of a store: values, lists, dictionaries, and what gives
/// values by name.
package indirect enum PlainItem {
  /// A value, or the id of an object of which nothing else is known.
  case value(ExpressionValue)
  /// Elements in order, never lists themselves.
  case list([PlainItem])
  /// A dictionary.
  case dictionary([String: Any])
  case keyed(any PlainKeyed)

  static var missing: PlainItem { .value(.missing) }

  /// What a value of any type is. One that predicates cannot read stops the program.
  package init(_ any: Any?) {
    switch any {
    case nil, is NSNull: self = .missing
    case let item as any PlainKeyed: self = .keyed(item)
    case let id as ObjectID: self = .value(.object(id))
    case let value as ExpressionValue: self = PlainItem(value)
    // Text before lists: Foundation's text is an object, too.
    case let text as String: self = .value(.value(.string(text)))
    case let dictionary as NSDictionary:
      var entries: [String: Any] = [:]
      for (key, value) in dictionary { entries["\(key)"] = value }
      self = .dictionary(entries)
    case let dictionary as [AnyHashable: Any]:
      self = .dictionary(Dictionary(dictionary.map { ("\($0.key.base)", $0.value) }) { first, _ in first })
    case let list as NSArray: self.init(list: list.map { $0 })
    case let list as NSOrderedSet: self.init(list: list.array)
    case let list as NSSet: self.init(list: list.allObjects)
    case let list as [Any]: self.init(list: list)
    case let set as Set<AnyHashable>: self.init(list: set.map(\.base))
    case let some?:
      guard let value = Value(anyValue: some).map(ExpressionValue.value) ?? Self.constant(some) else {
        preconditionFailure("a \(type(of: some)) has no values by name, so that predicates cannot be evaluated with it")
      }
      self = PlainItem(value)
    }
  }

  private init(list: [Any]) { self = .list(list.flatMap { PlainItem($0).elements }) }

  /// What an expression gave.
  init(_ value: ExpressionValue) {
    if case .list(let elements) = value { self = .list(elements.map { .value($0) }) } else { self = .value(value) }
  }

  /// What can be an argument of a predicate, an optional without a value among them.
  private static func constant(_ any: Any) -> ExpressionValue? {
    (any as? any PredicateArgument)?.predicateExpression.fixedValue(now: .distantPast)
  }

  /// The elements of a list; a list of one of anything else.
  var elements: [PlainItem] { if case .list(let elements) = self { elements } else { [self] } }

  var isMissing: Bool { if case .value(let value) = self { value.isMissing } else { false } }

  /// The same for comparisons and functions. A dictionary is its plain entries, lists and others left out.
  var expressionValue: ExpressionValue {
    switch self {
    case .value(let value): value
    case .list(let elements): .list(elements.flatMap(\.expressionValue.elements))
    case .dictionary(let entries):
      .value(.composite(entries.compactMapValues { Value(anyValue: $0) }.filter { $0.value != .null }))
    case .keyed(let item): item.expressionValue
    }
  }

  /// What a path of keys leads to; through a list, from each of its elements.
  func item(at path: some Sequence<String>) -> PlainItem { path.reduce(self) { $0.item(forKey: $1) } }

  private func item(forKey key: String) -> PlainItem {
    switch self {
    case .list(let elements): .list(elements.flatMap { $0.item(forKey: key).elements })
    case .dictionary(let entries): PlainItem(entries[key])
    case .keyed(let item): item.item(forKey: key)
    case .value(.value(let value)): .value(.value(value.trait(key)))
    case .value: preconditionFailure("only the id of the object is known, which has no \"\(key)\"")
    }
  }
}

/// What gives values by name: a managed object.
package protocol PlainKeyed {
  /// The same for comparisons with objects.
  var expressionValue: ExpressionValue { get }
  /// The value under a name. One that is not there stops the program.
  func item(forKey key: String) -> PlainItem
}
