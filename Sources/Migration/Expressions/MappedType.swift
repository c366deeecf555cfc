import ObjectModel
import Predicates

/// What an expression of a mapping model gives, as far as it is known beforehand.
enum MappedType {
  /// Values or objects.
  case value(OperandType)
  /// A request for the objects of an entity of the source model; nil where the entity is known only later.
  case request(Entity?)
  /// The context of one of the two stores.
  case context(of: ManagedObjectModel)
  /// A part of the migration itself, such as `$manager`.
  case part(String)
  case unknown

  /// The type of a value; nil for anything else.
  var operand: OperandType? {
    if case .value(let type) = self { type } else { nil }
  }

  /// What it is, where it is neither a value nor an object.
  var machinery: String? {
    switch self {
    case .value, .unknown: nil
    case .request: "a fetch request"
    case .context: "a context"
    case .part(let name): name
    }
  }
}

extension MappingScope {
  /// What an expression gives.
  /// - Parameter calls: what the calls give, by the names that stand for them.
  /// - Throws: `MigrationError` for what cannot be computed.
  func type(
    of expression: FetchExpression, _ calls: [String: MappedType]
  ) throws(MigrationError) -> MappedType {
    if case .variable(let name) = expression { return type(ofVariable: name, calls) }
    var types: [String: OperandType] = [:]
    var isKnown = true
    for name in expression.substitutionVariables {
      let type = type(ofVariable: name, calls)
      if let machinery = type.machinery {
        throw error("the expression \(expression) cannot be used: nothing can be computed with \(machinery)")
      }
      // The type of a call's result is often known only after the call.
      if let type = type.operand { types[name] = type } else { isKnown = false }
    }
    guard isKnown, let entity = sourceEntity ?? destinationEntity else { return .unknown }
    // Unlike in fetches, a composite is a plain value here.
    if case .path(of: _, let path) = expression, let name = path.last, entity.attribute(name)?.type == .composite {
      return .value(OperandType(.attribute(.composite)))
    }
    do throws(PredicateCheckError) {
      return .value(try expression.type(in: ExpressionScope(mapping: entity, types)))
    } catch {
      throw self.error("the expression \(expression) cannot be used: \(error)")
    }
  }

  private func type(ofVariable name: String, _ calls: [String: MappedType]) -> MappedType {
    func object(_ entity: Entity?) -> MappedType { entity.map { .value(OperandType(.object($0))) } ?? .unknown }
    switch name {
    case MigrationVariableName.source: return object(sourceEntity)
    case MigrationVariableName.destination: return object(destinationEntity)
    case _ where MigrationVariableName.all.contains(name): return .part("$" + name)
    default: return calls[name] ?? .unknown
    }
  }
}

extension ExpressionScope {
  /// What the expressions of an entity mapping can speak of.
  init(mapping entity: Entity, _ variables: [String: OperandType]) {
    self.init(entity, variables: variables)
    allowsTransients = true
    allowsBlocks = true
  }
}
