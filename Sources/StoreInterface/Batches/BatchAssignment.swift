import Foundation
package import ObjectModel
package import Predicates

/// An attribute that a batch update gives a value, checked against the model.
package struct BatchAssignment: Sendable {
  /// The attribute's name, or the dotted path of a composite's element.
  package let path: String
  /// The names that `path` consists of.
  package let names: [String]
  /// The attribute, or the element.
  package let attribute: AttributeDefinition
  package let expression: FetchExpression
  package let validator: AttributeValidator

  /// The assignments of an update, in the order of their paths.
  /// - Throws: `StoreError.failure` that names the first one that does not fit the model.
  package static func all(_ update: BatchUpdate) throws -> [BatchAssignment] {
    if update.assignments.isEmpty {
      throw StoreError.failure("the batch update of \(update.selection.entity.name) sets nothing")
    }
    if update.selection.fetchLimit > 0 || update.selection.fetchOffset > 0 {
      throw StoreError.failure("a batch update of \(update.selection.entity.name) has no limit: use a predicate")
    }
    let assignments = try update.assignments.sorted { $0.key.precedesByCodePoint($1.key) }.flatMap {
      try all($0.key, $0.value, of: update.selection.entity)
    }
    var paths: Set<String> = []
    for assignment in assignments where !paths.insert(assignment.path).inserted {
      throw StoreError.failure("\(update.selection.entity.name).\(assignment.path) is set twice")
    }
    return assignments
  }

  /// One assignment; where a composite becomes null, one for each stored element.
  private static func all(_ path: String, _ given: FetchExpression, of entity: Entity) throws -> [BatchAssignment] {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard given == .constant(.null), let whole = entity.attribute(names[0]),
      let composite = whole.element(at: names.dropFirst()), composite.composite != nil
    else { return [try BatchAssignment(path, names, given, of: entity)] }
    return try StoredAttribute.leaves(of: composite, under: names.dropLast()).map {
      try BatchAssignment($0.path, $0.names, given, of: entity)
    }
  }

  private init(_ path: String, _ names: [String], _ given: FetchExpression, of entity: Entity) throws {
    self.path = path
    self.names = names
    let place = "\(entity.name).\(path)"
    guard let first = names.first, let whole = entity.attribute(first),
      var attribute = whole.element(at: names.dropFirst())
    else {
      if entity.relationship(names.first ?? "") != nil {
        throw StoreError.failure("\(place) is a relationship; a batch update sets attributes of the objects themselves")
      }
      throw StoreError.failure("\(entity.name) has no attribute \"\(path)\" to be set")
    }
    if whole.isTransient || attribute.isTransient { throw StoreError.failure("\(place) is transient; no store has it") }
    if attribute.derivation != nil { throw StoreError.failure("\(place) is derived; the store computes it") }
    if attribute.composite != nil {
      throw StoreError.failure(
        "\(place) is a composite attribute; set its elements, as in \"\(path).\(Self.example(attribute))\"")
    }
    // Whether it may be null depends on the other elements then: see `ElementDemand`.
    if whole.optionalComposite(around: names) != nil { attribute.isOptional = true }
    self.attribute = attribute
    let expression = Self.typed(given, attribute)
    self.expression = expression
    validator = try AttributeValidator(attribute)
    do {
      let scope = ExpressionScope(entity)
      _ = try expression.single(in: scope, for: "the new value of \(place)")
      for result in expression.branches {
        if case .object = try result.type(in: scope).element {
          throw StoreError.failure("the new value of \(place) is no value: \(result) is an object")
        }
      }
    } catch let error as PredicateCheckError {
      throw StoreError.failure(error.message)
    }
    if case .constant(let value) = expression { try check(value, of: entity) }
    if expression.fixedValue(now: Date()) != nil,
      let failure = ExpressionEvaluator<StoredObject>(now: Date()).failure(in: expression)
    {
      throw StoreError.failure(Self.message(failure, place))
    }
  }

  /// The value that a constant text says, for a URI or UUID attribute; any other expression as it is.
  private static func typed(_ expression: FetchExpression, _ attribute: AttributeDefinition) -> FetchExpression {
    guard case .constant(.string(let text)) = expression else { return expression }
    let value: Value? =
      switch attribute.type {
      case .uri: URL(string: text).map { .uri($0) }
      case .uuid: UUID(uuidString: text).map { .uuid($0) }
      default: nil
      }
    return value.map { .constant($0) } ?? expression
  }

  private static func message(_ failure: FetchExpression, _ place: String) -> String {
    "the new value of \(place) cannot be computed: \(failure) has no result"
  }

  private static func example(_ attribute: AttributeDefinition) -> String {
    attribute.composite?.elements.first?.name ?? "element"
  }

  /// - Throws: `ValidationError` for a constant that the attribute cannot have.
  private func check(_ value: Value, of entity: Entity) throws {
    let problems = problems(of: value, objectID: nil, entity: entity)
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// The problems of a new value for the attribute.
  package func problems(of value: Value, objectID: ObjectID?, entity: Entity) -> [ValidationError.Problem] {
    if let limit = limitProblem(of: value, objectID: objectID, entity: entity) { return [limit] }
    return validator.violations(of: attribute.fitting(value) ?? value).map {
      var problem = ValidationError.Problem(
        objectID: objectID, entity: entity.name, property: path, code: $0.code, message: $0.message, value: value)
      problem.predicate = $0.predicate
      return problem
    }
  }

  /// The problem of a number that the attribute has no place for.
  private func limitProblem(of value: Value, objectID: ObjectID?, entity: Entity) -> ValidationError.Problem? {
    let isBeyond =
      switch (attribute.type, value) {
      case (.double, .double(let number)): number.isInfinite
      case (.date, .double), (.decimal, .double), (.float, .double), (.float, .integer), (.float, .decimal):
        attribute.fitting(value) == nil
      case (.date, .date(let date)): date.timeIntervalSinceReferenceDate.isInfinite
      default: false
      }
    if !isBeyond { return nil }
    return ValidationError.Problem(
      objectID: objectID, entity: entity.name, property: path,
      code: Self.isTiny(value) ? .numberTooSmall : .numberTooLarge,
      message: "\(Self.text(of: value)) does not fit \(attribute.type)", value: value)
  }

  /// Whether a number lies so near to zero that it can only be too small.
  private static func isTiny(_ value: Value) -> Bool {
    switch value {
    case .double(let number): number.magnitude < 1
    case .decimal(let number): number.magnitude < 1
    default: false
    }
  }

  /// A number as messages name it.
  private static func text(of value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): number.description
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    default: "\(value)"
    }
  }

  /// The new value of an object. A value that cannot be computed is a problem of the object and does not become null.
  /// The broken rules count only for an object that gets other values.
  package func value<Subject: PredicateSubject>(
    by evaluator: ExpressionEvaluator<Subject>, for objectID: ObjectID
  ) -> (value: Value, failure: ValidationError.Problem?, violations: [ValidationError.Problem]) {
    let result = evaluator.value(expression)
    let value = result.plainValue
    if case .object = result {
      let problem = ValidationError.Problem(
        objectID: objectID, entity: objectID.entity.name, property: path, code: .wrongType,
        message: "the new value is an object")
      return (value, problem, [])
    }
    if value.isMissing, let failure = evaluator.failure(in: expression) {
      let problem = ValidationError.Problem(
        objectID: objectID, entity: objectID.entity.name, property: path, code: .notANumber,
        message: "the new value cannot be computed: \(failure) has no result")
      return (value, problem, [])
    }
    let violations = problems(of: value, objectID: objectID, entity: objectID.entity)
    return (attribute.fitting(value) ?? value, nil, violations)
  }
}

extension AttributeDefinition {
  /// A computed value as the attribute keeps it: numbers change their kind where that loses nothing (a real or decimal
  /// becomes an integer when it is a whole number), and count as seconds since 2001 for a date. Nil for a value that
  /// does not fit.
  package func fitting(_ value: Value) -> Value? {
    if value.isMissing { return .null }
    switch (type, value) {
    case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer), (.boolean, .boolean),
      (.date, .date), (.decimal, .decimal), (.string, .string), (.uuid, .uuid), (.uri, .uri), (.binary, .data),
      (.transformable, .data), (.undefined, _), (.objectID, .string):
      return value
    case (.float, .double(let number)): return Self.single(number).map { .double($0) }
    case (.integer16, _), (.integer32, _), (.integer64, _): return Self.whole(value).map { .integer($0) }
    case (.boolean, _):
      guard let number = Self.whole(value), number == 0 || number == 1 else { return nil }
      return .boolean(number == 1)
    case (.double, _): return Self.real(value).map { .double($0) }
    case (.float, _): return Self.real(value).flatMap { Self.single($0) }.map { .double($0) }
    case (.date, .integer), (.date, .double), (.date, .decimal):
      return Self.real(value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.decimal, .integer(let number)): return .decimal(Decimal(number))
    case (.decimal, .double(let number)):
      if number.isInfinite { return nil }
      return Decimal(string: String(number), locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
    default: return nil
    }
  }

  private static func whole(_ value: Value) -> Int64? {
    switch value {
    case .integer(let number): number
    case .boolean(let flag): flag ? 1 : 0
    case .double(let number): Int64(exactly: number)
    case .decimal(let number): Int64(number.description)
    default: nil
    }
  }

  /// A finite number.
  private static func real(_ value: Value) -> Double? {
    let number: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .double(let number): number
      case .decimal(let number): Double(number.description)
      default: nil
      }
    return number.flatMap { $0.isInfinite ? nil : $0 }
  }

  /// A number as a Float has it; nil where that is beyond a Float, or nothing is left of it.
  private static func single(_ number: Double) -> Double? {
    let single = Double(Float(number))
    return single.isInfinite || (single == 0 && number != 0) ? nil : single
  }
}

extension FetchExpression {
  /// The expressions of which one gives the result: those of all branches, or the expression itself.
  fileprivate var branches: [FetchExpression] {
    switch self {
    case .conditional(_, let first, let second): first.branches + second.branches
    // Hints for an index give their first operand.
    case .function(.noIndex, let operands), .function(.indexed, let operands): operands.first?.branches ?? [self]
    default: [self]
    }
  }
}
