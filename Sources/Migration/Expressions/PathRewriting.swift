import ObjectModel
import Predicates

/// Rewrites the key paths of a mapping's expression so that they can be computed, and refuses those that lead nowhere.
///
/// Key paths of mapping models go on behind properties: `$source.link.absoluteString`,
/// `$source.objectID.URIRepresentation.path`. A method that the format language has becomes that method, any other a
/// call of `ValueMethods`. Properties of the mapping itself become constants.
struct PathRewriting {
  let scope: MappingScope
  private(set) var expression: CallingExpression
  private var calls: [CallingExpression.Call] = []
  /// The loop variables of the subqueries around.
  private var loopVariables: Set<String> = []

  init(_ expression: CallingExpression, _ scope: MappingScope) throws(MigrationError) {
    self.scope = scope
    self.expression = expression
    // A call that replaces a path comes before the call that needs it, so all calls get new names.
    var renamed: [String: String] = [:]
    for call in expression.calls {
      var operands: [FetchExpression] = []
      for operand in call.operands { operands.append(try rewritten(operand.renamingVariables(renamed))) }
      renamed[call.name] = lift(call.kind, operands, at: call.column)
    }
    self.expression.result = try rewritten(expression.result.renamingVariables(renamed))
    self.expression.calls = calls
  }

  private mutating func lift(_ kind: CallingExpression.Kind, _ operands: [FetchExpression], at column: Int) -> String {
    let name = "mapped " + CallingExpression.name(ofCallAt: calls.count)
    calls.append(CallingExpression.Call(name: name, kind: kind, operands: operands, column: column))
    return name
  }

  private mutating func rewritten(_ expression: FetchExpression) throws(MigrationError) -> FetchExpression {
    switch expression {
    case .variable(let name):
      if !MigrationVariableName.all.contains(name), !loopVariables.contains(name),
        !calls.contains(where: { $0.name == name })
      {
        let known = MigrationVariableName.all.map { "$" + $0 }.joined(separator: ", ")
        throw scope.error("there is no variable $\(name)", hint: "known are \(known)")
      }
      try requireValue(of: name)
      return expression
    case .path(of: .variable(let name), let path):
      try requireValue(of: name)
      switch name {
      case MigrationVariableName.source: return try rewritten(path, of: name, from: scope.sourceEntity)
      case MigrationVariableName.destination: return try rewritten(path, of: name, from: scope.destinationEntity)
      case MigrationVariableName.entityMapping: return .constant(try value(ofMapping: path))
      case MigrationVariableName.propertyMapping:
        guard path == ["name"], let property = scope.property else { throw unknown(path, of: name) }
        return .constant(.string(property))
      case MigrationVariableName.manager:
        let operands: [FetchExpression] = [
          .variable(name), .constant(.string(path.joined(separator: "."))),
        ]
        return .variable(lift(.method("valueForKeyPath:"), operands, at: 1))
      default:
        _ = try rewritten(.variable(name))
        return expression
      }
    default: break
    }
    var rewriting = self
    if case .subquery(_, let variable, _) = expression { rewriting.loopVariables.insert(variable) }
    defer { calls = rewriting.calls }
    return try expression.mappingParts(
      { part throws(MigrationError) in try rewriting.rewritten(part) },
      predicates: { predicate throws(MigrationError) in
        try predicate.mappingExpressions { part throws(MigrationError) in try rewriting.rewritten(part) }
      })
  }

  /// - Throws: for an object in a source expression, which is computed once for all objects.
  private func requireValue(of variable: String) throws(MigrationError) {
    let isObject = variable == MigrationVariableName.source || variable == MigrationVariableName.destination
    guard isObject, scope.property == nil else { return }
    throw scope.error("$\(variable) has no value here", hint: "a source expression gives the source objects themselves")
  }

  private mutating func rewritten(
    _ path: FetchPredicate.KeyPath, of variable: String, from start: Entity?
  ) throws(MigrationError) -> FetchExpression {
    guard let start else {
      throw scope.error("$\(variable) has no value here", hint: "the mapping has no \(variable) entity")
    }
    var here = start
    var position = 0
    while position < path.count, let relationship = here.relationship(path[position]) {
      here = relationship.destination
      position += 1
    }
    if position == path.count { return .path(of: .variable(variable), path) }
    let name = path[position]
    if let attribute = here.attribute(name) {
      let rest = path[(position + 1)...]
      if rest.isEmpty || attribute.type == .composite { return .path(of: .variable(variable), path) }
      return try methods(rest, of: .path(of: .variable(variable), Array(path[...position])), attribute.type)
    }
    switch name {
    case "objectID":
      return try methods(path[(position + 1)...], of: .path(of: .variable(variable), Array(path[...position])), nil)
    case "entity": return .path(of: .variable(variable), path)
    default:
      throw scope.error(
        "\(here.name) of the \(variable) model has no property \"\(name)\"",
        hint: Suggestion.hint(for: name, among: here.attributes.map(\.name) + here.relationships.map(\.name))
          ?? "the expression has $\(variable).\(path.joined(separator: "."))")
    }
  }

  /// The methods that the names after an attribute call on its value.
  private mutating func methods(
    _ names: ArraySlice<String>, of value: FetchExpression, _ type: AttributeType?
  ) throws(MigrationError) -> FetchExpression {
    var result = value
    var isText = type.map { [.string, .uri, .undefined].contains($0) } ?? false
    // The known type is that of the attribute, before any method.
    var isOwn = type == nil || type == .binary || type == .transformable
    if type == .binary { isText = false }
    for name in names {
      if !isOwn || isText, let method = FetchExpression.method(name, [result]) {
        result = method
        isText = true
      } else if ValueMethods.isKnown(name, of: isOwn ? nil : type) {
        result = .variable(lift(.method(name), [result], at: 1))
        isOwn = true
        isText = false
      } else {
        throw scope.error(
          "\(value) has no \"\(name)\"", hint: "compute the value in a function of a migration policy")
      }
    }
    return result
  }

  private func value(ofMapping path: FetchPredicate.KeyPath) throws(MigrationError) -> Value {
    let mapping = scope.mapping
    func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    switch path.first {
    case "name" where path.count == 1: return .string(mapping.name)
    case "sourceEntityName" where path.count == 1: return text(mapping.sourceEntityName)
    case "destinationEntityName" where path.count == 1: return text(mapping.destinationEntityName)
    case "userInfo" where path.count == 2: return text(mapping.userInfo[path[1]])
    default: throw unknown(path, of: MigrationVariableName.entityMapping)
    }
  }

  private func unknown(_ path: FetchPredicate.KeyPath, of variable: String) -> MigrationError {
    scope.error("$\(variable) has no \"\(path.joined(separator: "."))\"")
  }
}

extension FetchExpression {
  fileprivate func renamingVariables(_ names: [String: String]) -> FetchExpression {
    if names.isEmpty { return self }
    return withSubstitutionVariables(names.mapValues { FetchExpression.variable($0) })
  }
}
