import ObjectModel
import Predicates

/// Checks the calls of a mapping's expression before any object is touched, and says what they give.
struct CallChecking {
  let scope: MappingScope
  /// What the calls give, by the names that stand for them.
  private(set) var types: [String: MappedType] = [:]

  init(_ calls: [CallingExpression.Call], _ scope: MappingScope) throws(MigrationError) {
    self.scope = scope
    for call in calls { types[call.name] = try type(of: call) }
  }

  private func type(of call: CallingExpression.Call) throws(MigrationError) -> MappedType {
    switch call.kind {
    case .fetch(let isCount): return try fetchType(call, isCount)
    case .method(let selector):
      switch call.operands.first {
      case .variable(MigrationVariableName.manager)?: return try managerType(selector, call)
      case .variable(MigrationVariableName.entityPolicy)?:
        switch scope.policyFunctions {
        case .none:
          throw scope.error(
            "\"\(selector)\" is called of $entityPolicy, and the mapping has no migration policy", .policy)
        case .known(let known): try require(selector, among: known, of: "the migration policy")
        case .unknown: break
        }
        return .unknown
      default:
        if ValueMethods.names.contains(selector) {
          return ValueMethods.resultType(of: selector, type(ofOperand: 0, call))
        }
        throw scope.error(
          "the method \"\(selector)\" is not known", hint: "call a function of $entityPolicy or $manager instead")
      }
    }
  }

  /// The type of an operand; what cannot be computed is an error when it is computed.
  private func type(ofOperand position: Int, _ call: CallingExpression.Call) -> MappedType {
    (try? scope.type(of: call.operands[position], types)) ?? .unknown
  }

  private func fetchType(_ call: CallingExpression.Call, _ isCount: Bool) throws(MigrationError) -> MappedType {
    let request = type(ofOperand: 0, call)
    let context = type(ofOperand: 1, call)
    let objects: MappedType
    switch request {
    case .request(let entity):
      if case .context(let model) = context, model !== scope.sourceModel {
        throw scope.error(
          "FETCH is given a request for objects of the source model and the context of the destination model",
          hint: "write $manager.sourceContext")
      }
      objects = entity.map { .value(OperandType(.object($0), isList: true)) } ?? .unknown
    case .unknown: objects = .unknown
    default: throw scope.error("what FETCH is given is no fetch request")
    }
    switch context {
    case .context, .unknown: break
    default: throw scope.error("what FETCH is given is no context", hint: "write $manager.sourceContext")
    }
    return isCount ? .value(OperandType(.attribute(.integer64))) : objects
  }

  private func require(_ selector: String, among known: Set<String>, of receiver: String) throws(MigrationError) {
    if known.contains(selector) { return }
    let names = known.isEmpty ? "it has none" : "it has \(known.sorted().joined(separator: ", "))"
    throw scope.error("\(receiver) has no function \"\(selector)\"", hint: names, .policy)
  }

  private func managerType(
    _ selector: String, _ call: CallingExpression.Call
  ) throws(MigrationError) -> MappedType {
    guard let function = ManagerFunction(rawValue: selector) else {
      if let known = scope.managerFunctions { try require(selector, among: known, of: "the migration manager") }
      return .unknown
    }
    let name: String? = if case .constant(.string(let text))? = call.operands.dropFirst().first { text } else { nil }
    switch function {
    case .destinationInstancesForMapping, .sourceInstancesForMapping:
      let isSource = function == .sourceInstancesForMapping
      try scope.requireInstances(
        type(ofOperand: 2, call), of: isSource ? scope.destinationModel : scope.sourceModel, for: selector)
      guard let name else { return .unknown }
      guard let mapping = scope.mappingModel.entityMappings.first(where: { $0.name == name }) else {
        let names = scope.mappingModel.entityMappings.map(\.name)
        throw scope.error(
          "there is no entity mapping \"\(name)\"",
          hint: Suggestion.hint(for: name, among: names) ?? "there are \(names.joined(separator: ", "))")
      }
      let entity =
        isSource
        ? mapping.sourceEntityName.flatMap { scope.sourceModel[$0] }
        : mapping.destinationEntityName.flatMap { scope.destinationModel[$0] }
      return entity.map { .value(OperandType(.object($0), isList: true)) } ?? .unknown
    case .destinationInstancesForRelationship:
      try scope.requireInstances(type(ofOperand: 2, call), of: scope.sourceModel, for: selector)
      if let name, let entity = scope.sourceEntity, entity.relationship(name) == nil {
        throw scope.error(
          "\(entity.name) of the source model has no relationship \"\(name)\"",
          hint: Suggestion.hint(for: name, among: entity.relationships.map(\.name)))
      }
      return .unknown
    case .fetchRequest:
      guard let name else { return .request(nil) }
      guard let entity = scope.sourceModel[name] else {
        throw scope.error(
          "the source model has no entity \"\(name)\"",
          hint: Suggestion.hint(for: name, among: scope.sourceModel.entities.map(\.name)))
      }
      if case .constant(.string(let text)) = call.operands[2] {
        do {
          try FetchPredicate(parsing: text).check(in: ExpressionScope(entity))
        } catch {
          throw scope.error("the filter predicate \"\(text)\" cannot be used: \(error)")
        }
      }
      return .request(entity)
    case .valueForKeyPath:
      switch name {
      case "sourceContext": return .context(of: scope.sourceModel)
      case "destinationContext": return .context(of: scope.destinationModel)
      default: return .unknown
      }
    }
  }
}

/// What expressions of mapping models ask of the migration manager.
enum ManagerFunction: String, CaseIterable {
  case destinationInstancesForMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  case sourceInstancesForMapping = "sourceInstancesForEntityMappingNamed:destinationInstances:"
  case destinationInstancesForRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  case fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
  case valueForKeyPath = "valueForKeyPath:"
}
