import Foundation
import ObjectModel
import Predicates
import PropertyLists

/// Predicates and expressions of the format language as objects of an archive: the reverse of `PredicateText`.
///
/// `SUBQUERY`, `TERNARY`, `CAST`, set operations, elements of lists, objects and blocks have no archived form that is
/// known, and give nil.
struct ExpressionArchiving {
  typealias Reference = KeyedArchiveBuilder.Reference

  /// Raw values are those of `NSExpressionType`.
  private enum ExpressionType: Int64 {
    case constant = 0
    case selfObject = 1
    case variable = 2
    case keyPath = 3
    case function = 4
    case keyPathSpecifier = 10
    case aggregate = 14
  }

  /// One object for all.
  private var selfReference: Reference?
  private var utilities: Reference?

  /// The archived form of a text; nil when it has none, or is not of the language.
  mutating func predicate(_ format: String, in archive: inout KeyedArchiveBuilder) -> Reference? {
    guard let predicate = try? FetchPredicate(parsing: format) else { return nil }
    return add(predicate, to: &archive)
  }

  /// The archived form of a text; nil when it has none, or is not of the language.
  mutating func expression(_ format: String, in archive: inout KeyedArchiveBuilder) -> Reference? {
    guard let expression = try? FetchExpression(parsing: format) else { return nil }
    return add(expression, to: &archive)
  }

  // MARK: - Predicates

  private mutating func add(_ predicate: FetchPredicate, to archive: inout KeyedArchiveBuilder) -> Reference? {
    switch predicate.generalized {
    case .all: return archive.add(.truePredicate, [])
    case .none: return archive.add(.falsePredicate, [])
    case .and(let parts): return compound(1, parts, &archive)
    case .or(let parts): return compound(2, parts, &archive)
    case .not(let part): return compound(0, [part], &archive)
    case .compare(let comparison): return add(comparison, to: &archive)
    default: return nil
    }
  }

  private mutating func compound(
    _ type: Int64, _ parts: [FetchPredicate], _ archive: inout KeyedArchiveBuilder
  ) -> Reference? {
    var members: [Reference] = []
    for part in parts {
      guard let member = add(part, to: &archive) else { return nil }
      members.append(member)
    }
    let list = archive.add(.array, [("NS.objects", .objects(members))])
    return archive.add(
      .compoundPredicate, [("NSCompoundPredicateType", .plain(.integer(type))), ("NSSubpredicates", .object(list))])
  }

  private mutating func add(
    _ comparison: FetchPredicate.Comparison, to archive: inout KeyedArchiveBuilder
  ) -> Reference? {
    guard let left = add(comparison.left, to: &archive), let right = add(comparison.right, to: &archive) else {
      return nil
    }
    let modifier =
      switch comparison.modifier {
      case .direct: 0
      case .all: 1
      case .any: 2
      }
    return self.comparison(
      left, ArchivedComparison.Operation(comparison.comparisonOperator), right, modifier: modifier,
      options: Int(comparison.options.rawValue), in: &archive)
  }

  /// A comparison of two expressions that are archived already.
  func comparison(
    _ left: Reference, _ operation: ArchivedComparison.Operation, _ right: Reference, modifier: Int = 0,
    options: Int = 0, in archive: inout KeyedArchiveBuilder
  ) -> Reference {
    let form = OperatorForm(operation)
    var fields: [(key: String, value: KeyedArchiveBuilder.Field)] = [
      ("NSOperatorType", .plain(.integer(Int64(operation.rawValue)))),
      ("NSModifier", .plain(.integer(Int64(modifier)))),
      (form.optionsField, .plain(.integer(Int64(options)))),
    ]
    switch operation {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      fields.append(("NSVariant", .plain(.integer(Int64(operation.rawValue)))))
    case .equal, .notEqual: fields.append(("NSNegate", .plain(.boolean(operation == .notEqual))))
    case .beginsWith, .endsWith: fields.append(("NSPosition", .plain(.integer(operation == .endsWith ? 1 : 0))))
    case .matches, .like, .isIn, .contains, .between: break
    }
    let archived = archive.add(form.kind, fields)
    return archive.add(
      .comparisonPredicate,
      [
        ("NSLeftExpression", .object(left)), ("NSRightExpression", .object(right)),
        ("NSPredicateOperator", .object(archived)),
      ])
  }

  // MARK: - Expressions

  private mutating func add(_ expression: FetchExpression, to archive: inout KeyedArchiveBuilder) -> Reference? {
    switch expression {
    case .constant(let value): return constant(value, &archive)
    case .selfObject: return selfObject(in: &archive)
    case .variable(let name):
      let text = archive.add(string: name)
      return archive.add(.variableExpression, [type(.variable), ("NSVariable", .object(text))])
    case .keyPath(let names): return keyPath(names, in: &archive)
    case .path(let base, let names):
      guard let base = add(base, to: &archive) else { return nil }
      return path(names, of: base, .function, &archive)
    case .collection(let operation, let base, let names):
      return collection(operation, of: base, names, &archive)
    case .function(let function, let operands): return call(function, operands, &archive)
    case .aggregate(let elements):
      guard let members = list(elements, &archive) else { return nil }
      return archive.add(.aggregateExpression, [type(.aggregate), ("NSCollection", .object(members))])
    case .object, .element, .subquery, .conditional, .cast, .set: return nil
    }
  }

  /// The object itself.
  mutating func selfObject(in archive: inout KeyedArchiveBuilder) -> Reference {
    if let selfReference { return selfReference }
    let reference = archive.add(.selfExpression, [type(.selfObject)])
    selfReference = reference
    return reference
  }

  /// A key path from the object on.
  mutating func keyPath(_ names: [String], in archive: inout KeyedArchiveBuilder) -> Reference {
    path(names, of: selfObject(in: &archive), .keyPath, &archive)
  }

  /// A constant that is archived already.
  func constant(_ value: Reference, in archive: inout KeyedArchiveBuilder) -> Reference {
    archive.add(.constantExpression, [type(.constant), ("NSConstantValue", .object(value))])
  }

  private func path(
    _ names: [String], of base: Reference, _ kind: ExpressionType, _ archive: inout KeyedArchiveBuilder
  ) -> Reference {
    let text = archive.add(string: names.joined(separator: "."))
    let specifier = archive.add(.keyPathSpecifier, [type(.keyPathSpecifier), ("NSKeyPath", .object(text))])
    let arguments = archive.add(.mutableArray, [("NS.objects", .objects([specifier]))])
    let isPlain = kind == .keyPath && names.count == 1
    let selector = archive.add(string: isPlain ? "valueForKey:" : "valueForKeyPath:")
    return archive.add(
      .keyPathExpression,
      [
        type(kind), ("NSOperand", .object(base)), ("NSSelectorName", .object(selector)),
        ("NSArguments", .object(arguments)),
      ])
  }

  /// Collection operators are a part of the key path's text.
  private mutating func collection(
    _ operation: FetchExpression.CollectionOperator, of base: FetchExpression, _ names: [String],
    _ archive: inout KeyedArchiveBuilder
  ) -> Reference? {
    switch base {
    case .selfObject: return keyPath([operation.rawValue] + names, in: &archive)
    case .keyPath(let path): return keyPath(path + [operation.rawValue] + names, in: &archive)
    case .path(let start, let path):
      guard let start = add(start, to: &archive) else { return nil }
      return self.path(path + [operation.rawValue] + names, of: start, .function, &archive)
    default: return nil
    }
  }

  private mutating func call(
    _ function: FetchExpression.Function, _ operands: [FetchExpression], _ archive: inout KeyedArchiveBuilder
  ) -> Reference? {
    guard let arguments = list(operands, &archive) else { return nil }
    let selector = archive.add(string: function.rawValue)
    return archive.add(
      .functionExpression,
      [
        type(.function), ("NSOperand", .object(utilities(&archive))), ("NSSelectorName", .object(selector)),
        ("NSArguments", .object(arguments)),
      ])
  }

  /// The class that holds the language's own functions.
  private mutating func utilities(_ archive: inout KeyedArchiveBuilder) -> Reference {
    if let utilities { return utilities }
    let name = archive.add(string: "_NSPredicateUtilities")
    let reference = archive.add(
      .constantExpression, [type(.constant), ("NSConstantValueClassName", .object(name))])
    utilities = reference
    return reference
  }

  private mutating func list(_ expressions: [FetchExpression], _ archive: inout KeyedArchiveBuilder) -> Reference? {
    var members: [Reference] = []
    for expression in expressions {
      guard let member = add(expression, to: &archive) else { return nil }
      members.append(member)
    }
    return archive.add(.array, [("NS.objects", .objects(members))])
  }

  private func constant(_ value: Value, _ archive: inout KeyedArchiveBuilder) -> Reference? {
    switch value {
    case .null:
      let name = archive.add(string: "$null")
      return archive.add(.constantExpression, [type(.constant), ("NSConstantValueClassName", .object(name))])
    case .integer(let number): return constant(archive.add(plain: .integer(number)), in: &archive)
    case .boolean(let flag): return constant(archive.add(plain: .boolean(flag)), in: &archive)
    case .double(let number): return constant(archive.add(plain: .real(number)), in: &archive)
    case .decimal(let number): return constant(archive.add(decimal: number), in: &archive)
    case .string(let text): return constant(archive.add(string: text), in: &archive)
    case .date(let date): return constant(archive.add(date: date), in: &archive)
    case .data, .uuid, .uri, .composite: return nil
    }
  }

  private func type(_ type: ExpressionType) -> (key: String, value: KeyedArchiveBuilder.Field) {
    ("NSExpressionType", .plain(.integer(type.rawValue)))
  }
}

/// The class of an operator, and its field for options.
private struct OperatorForm {
  let kind: ArchiveClass
  let optionsField: String

  init(_ operation: ArchivedComparison.Operation) {
    switch operation {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: (kind, optionsField) = (.comparisonOperator, "NSOptions")
    case .equal, .notEqual: (kind, optionsField) = (.equalityOperator, "NSOptions")
    case .matches: (kind, optionsField) = (.matchingOperator, "NSFlags")
    case .like: (kind, optionsField) = (.likeOperator, "NSFlags")
    case .beginsWith, .endsWith: (kind, optionsField) = (.substringOperator, "NSFlags")
    case .isIn, .contains: (kind, optionsField) = (.inOperator, "NSFlags")
    case .between: (kind, optionsField) = (.betweenOperator, "NSOptions")
    }
  }
}

extension ArchivedComparison.Operation {
  fileprivate init(_ operation: FetchPredicate.Comparison.Operator) {
    self =
      switch operation {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      case .between: .between
      case .isIn: .isIn
      case .contains: .contains
      case .beginsWith: .beginsWith
      case .endsWith: .endsWith
      case .like: .like
      case .matches: .matches
      }
  }
}
