import ObjectGraph
import ObjectModel
import Predicates

/// An expression of a mapping model, checked and ready to be computed for one object after the other.
struct MappingExpression {
  private let expression: CallingExpression
  /// The source attribute, where the expression is just that; most expressions are.
  private let attribute: String?
  /// The variables that stand in `expression.result`.
  private let resultVariables: Set<String>
  /// What it gives, as far as it is known beforehand.
  let type: MappedType
  /// The entity of the source objects whose values it may read.
  private let sourceEntity: Entity?

  /// Parses and checks an expression.
  /// - Throws: `MigrationError` that names the mapping and the property.
  init(_ text: String, in scope: MappingScope) throws(MigrationError) {
    let parsed: CallingExpression
    do throws(PredicateFormatError) {
      parsed = try CallingExpression(parsing: text)
    } catch {
      throw scope.error(
        "the expression \(text) cannot be read: \(error.message) (column \(error.column))", hint: error.hint)
    }
    expression = try PathRewriting(parsed, scope).expression
    let calls = try CallChecking(expression.calls, scope)
    resultVariables = expression.result.substitutionVariables
    if case .path(of: .variable(MigrationVariableName.source), let path) = expression.result, path.count == 1,
      expression.calls.isEmpty, scope.sourceEntity?.attribute(path[0]) != nil
    {
      attribute = path[0]
    } else {
      attribute = nil
    }
    type = try scope.type(of: expression.result, calls.types)
    sourceEntity = scope.sourceEntity
  }

  /// Computes the expression.
  /// - Throws: what calls and stores throw.
  func value(_ variables: MigrationVariables) throws -> MappedValue {
    if let source = variables.source, let sourceEntity, !source.entity.isKind(of: sourceEntity) {
      throw MigrationError(
        .value, "the source object is a \(source.entity.name), and the mapping is for objects of \(sourceEntity.name)")
    }
    if let attribute, let source = variables.source {
      return .plain(.value(source.attributeValue(attribute)))
    }
    var results: [String: Any?] = [:]
    for call in expression.calls { results[call.name] = .some(try perform(call, variables, results)) }
    return try value(of: expression.result, resultVariables, variables, results)
  }

  // MARK: - Parts

  private func value(
    of expression: FetchExpression, _ names: Set<String>, _ variables: MigrationVariables, _ results: [String: Any?]
  ) throws -> MappedValue {
    if case .constant(let value) = expression { return .plain(.value(value)) }
    if case .variable(let name) = expression { return .object(object(name, variables, results)) }
    var values: [String: ExpressionValue] = [:]
    for name in names { values[name] = try MappedValue.object(object(name, variables, results)).expressionValue() }
    guard let subject = variables.source ?? variables.destination else {
      throw MigrationError(.mappingModel, "the expression \(expression) needs an object, and there is none")
    }
    let value = try expression.evaluate(
      with: subject, variables: values, otherContext: variables.otherContext(than: subject))
    return .plain(value)
  }

  private func object(_ name: String, _ variables: MigrationVariables, _ results: [String: Any?]) -> Any? {
    switch name {
    case MigrationVariableName.source: variables.source
    case MigrationVariableName.destination: variables.destination
    case MigrationVariableName.manager: variables.manager
    case MigrationVariableName.entityPolicy: variables.entityPolicy
    default: results[name] ?? nil
    }
  }

  private func perform(
    _ call: CallingExpression.Call, _ variables: MigrationVariables, _ results: [String: Any?]
  ) throws -> Any? {
    let operands = try call.operands.map { operand in
      try value(of: operand, operand.substitutionVariables, variables, results)
    }
    switch call.kind {
    case .fetch(let isCount):
      guard let manager = variables.manager else { throw Self.needsManager("FETCH") }
      return try manager.fetch(
        operands[0].any(variables), in: operands[1].any(variables), isCount: isCount, asIDs: variables.wantsIDs)
    case .method(let selector):
      switch call.operands[0] {
      case .variable(MigrationVariableName.manager):
        guard let manager = variables.manager else { throw Self.needsManager(selector) }
        return try manager.perform(selector, operands.dropFirst().map { $0.any(variables) }, variables)
      case .variable(MigrationVariableName.entityPolicy):
        guard let policy = variables.entityPolicy else {
          throw MigrationError(.policy, "\"\(selector)\" needs $entityPolicy, which was not given")
        }
        return try policy.perform(selector, operands.dropFirst().map { $0.any(variables) })
      default: return try ValueMethods.call(selector, of: receiver(operands[0], variables))
      }
    }
  }

  /// Ids stay ids.
  private func receiver(_ value: MappedValue, _ variables: MigrationVariables) -> Any? {
    switch value {
    case .plain(.object(let id)): id
    case .plain(.list(let elements)): elements.compactMap { receiver(.plain($0), variables) }
    default: value.any(variables)
    }
  }

  private static func needsManager(_ name: String) -> MigrationError {
    MigrationError(.mappingModel, "\(name) needs $manager, which was not given")
  }
}
