import ObjectModel
import Predicates

/// The properties that the value expressions of an entity mapping read from its source objects.
struct SourceReads {
  /// Properties of the entity itself, each with the first property of the destination that takes it.
  private(set) var takers: [String: String] = [:]
  /// Properties that paths lead to by way of relationships, each with the entity that declares it.
  private(set) var remote: Set<[String]> = []
  /// The properties of the destination that have an expression.
  private(set) var given: Set<String> = []
  /// Whether the program's own code is called, which may read any property.
  private(set) var callsProgram = false

  private let entity: Entity

  /// Properties of the entity itself.
  var properties: Set<String> { Set(takers.keys) }

  /// Expressions that cannot be parsed read no property; they are reported as mistakes elsewhere.
  init(_ mapping: EntityMapping, _ entity: Entity) {
    self.entity = entity
    for property in mapping.attributeMappings + mapping.relationshipMappings {
      guard let text = property.valueExpression, let expression = try? CallingExpression(parsing: text) else {
        continue
      }
      given.insert(property.name)
      for call in expression.calls {
        if case .method(let selector) = call.kind { note(call: selector, of: call.operands.first) }
        for operand in call.operands { note(operand, for: property.name) }
      }
      note(expression.result, for: property.name)
    }
  }

  private mutating func note(call selector: String, of receiver: FetchExpression?) {
    switch receiver {
    case .variable(MigrationVariableName.entityPolicy)?: callsProgram = true
    case .variable(MigrationVariableName.manager)?:
      if ManagerFunction(rawValue: selector) == nil { callsProgram = true }
    default: break
    }
  }

  private mutating func note(_ expression: FetchExpression, for taker: String) {
    switch expression {
    case .keyPath(let path), .path(of: .variable(MigrationVariableName.source), let path): note(path, taker)
    case .collection(_, of: .variable(MigrationVariableName.source), let path): note(path, taker)
    case .collection(_, of: .path(of: .variable(MigrationVariableName.source), let start), let path):
      note(start + path, taker)
    default:
      var reads = self
      _ = expression.mappingParts(
        { part in
          reads.note(part, for: taker)
          return part
        },
        predicates: { predicate in
          predicate.mappingExpressions { part in
            reads.note(part, for: taker)
            return part
          }
        })
      self = reads
    }
  }

  private mutating func note(_ path: FetchPredicate.KeyPath, _ taker: String) {
    if let first = path.first, takers[first] == nil { takers[first] = taker }
    var here = entity
    for (position, name) in path.enumerated() {
      if position > 0 { remote.insert([here.declaring(name).name, name]) }
      guard let relationship = here.relationship(name) else { return }
      here = relationship.destination
    }
  }
}

extension Entity {
  /// The entity, or the one of those above it, that declares a property.
  func declaring(_ property: String) -> Entity {
    var owner = self
    while let parent = owner.superentity, parent.attribute(property) != nil || parent.relationship(property) != nil {
      owner = parent
    }
    return owner
  }
}
