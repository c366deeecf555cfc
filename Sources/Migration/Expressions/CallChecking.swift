import ObjectModel
import Predicates

/// Checks the calls of a mapping's expression before any object is touched, and says what they give.
struct CallChecking {
  let scope: MappingScope
  /// What the calls give, by the names that stand for them; nil where it is not known beforehand.
  private(set) var types: [String: OperandType?] = [:]

  init(_ calls: [CallingExpression.Call], _ scope: MappingScope) throws(MigrationError) {
    self.scope = scope
    for call in calls { types[call.name] = .some(try type(of: call)) }
  }

  private func type(of call: CallingExpression.Call) throws(MigrationError) -> OperandType? {
    switch call.kind {
    case .fetch(isCount: true): return OperandType(.attribute(.integer64))
    case .fetch(isCount: false): return nil
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
        return nil
      default:
        if ValueMethods.names.contains(selector) { return nil }
        throw scope.error(
          "the method \"\(selector)\" is not known", hint: "call a function of $entityPolicy or $manager instead")
      }
    }
  }

  private func require(_ selector: String, among known: Set<String>, of receiver: String) throws(MigrationError) {
    if known.contains(selector) { return }
    let names = known.isEmpty ? "it has none" : "it has \(known.sorted().joined(separator: ", "))"
    throw scope.error("\(receiver) has no function \"\(selector)\"", hint: names, .policy)
  }

  private func managerType(
    _ selector: String, _ call: CallingExpression.Call
  ) throws(MigrationError) -> OperandType? {
    guard let function = ManagerFunction(rawValue: selector) else {
      if let known = scope.managerFunctions { try require(selector, among: known, of: "the migration manager") }
      return nil
    }
    let name: String? = if case .constant(.string(let text))? = call.operands.dropFirst().first { text } else { nil }
    switch function {
    case .destinationInstancesForMapping, .sourceInstancesForMapping:
      guard let name else { return nil }
      guard let mapping = scope.mappingModel.entityMappings.first(where: { $0.name == name }) else {
        let names = scope.mappingModel.entityMappings.map(\.name)
        throw scope.error(
          "there is no entity mapping \"\(name)\"",
          hint: Suggestion.hint(for: name, among: names) ?? "there are \(names.joined(separator: ", "))")
      }
      let isSource = function == .sourceInstancesForMapping
      let entity =
        isSource
        ? mapping.sourceEntityName.flatMap { scope.sourceModel[$0] }
        : mapping.destinationEntityName.flatMap { scope.destinationModel[$0] }
      return entity.map { OperandType(.object($0), isList: true) }
    case .destinationInstancesForRelationship:
      if let name, let entity = scope.sourceEntity, entity.relationship(name) == nil {
        throw scope.error(
          "\(entity.name) of the source model has no relationship \"\(name)\"",
          hint: Suggestion.hint(for: name, among: entity.relationships.map(\.name)))
      }
      return nil
    case .fetchRequest:
      guard let name else { return nil }
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
      return nil
    case .valueForKeyPath: return nil
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
