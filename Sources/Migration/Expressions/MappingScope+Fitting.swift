import ObjectModel
import Predicates

/// Refuses expressions that can never give what their place needs, before any object is touched.
extension MappingScope {
  /// Whether the mapping's own policy may read the expressions and do something else with what they give.
  private var hasPolicy: Bool { policyFunctions != .none }

  /// - Throws: for a source expression that gives no objects of the source entity.
  func requireSources(_ type: MappedType) throws(MigrationError) {
    guard !hasPolicy, let entity = sourceEntity else { return }
    let place = "where the objects of \(entity.name) belong"
    if let machinery = type.machinery { throw error("the source expression gives \(machinery), \(place)") }
    guard let element = type.operand?.element else { return }
    switch element {
    case .unknown: return
    case .attribute(let type):
      throw error("the source expression gives a value of the type \(type.name), \(place)")
    case .object(let other):
      if other.isKind(of: entity) { return }
      throw error(
        "the source expression gives objects of \(other.name)\(side(of: other)), \(place)",
        hint: "have it fetch \(entity.name), or give the mapping the source entity \(other.name)")
    }
  }

  /// - Throws: for an expression whose value the attribute cannot have.
  func requireValue(_ type: MappedType, for attribute: AttributeDefinition) throws(MigrationError) {
    if hasPolicy { return }
    let hint = "compute it in a function of a migration policy"
    if let machinery = type.machinery {
      throw error("the expression gives \(machinery), which is no value", hint: hint)
    }
    guard let type = type.operand else { return }
    switch type.element {
    case .unknown: return
    case .object(let entity):
      throw error(
        "the expression gives \(type.isList ? "objects" : "an object") of \(entity.name), where a value belongs",
        hint: hint)
    case .attribute(let given):
      if type.isList {
        throw error(
          "the expression gives many values, where one belongs",
          hint: "choose or count them (@count, @max), or \(hint)")
      }
      if AttributeConversion.isPossible(from: given, to: attribute.type) { return }
      throw error(
        "a value of the type \(given.name) cannot become one of the type \(attribute.type.name)", hint: hint)
    }
  }

  /// - Throws: for an expression that gives no objects of the newer model.
  func requireObjects(_ type: MappedType, for relationship: Relationship) throws(MigrationError) {
    if hasPolicy { return }
    let place = "where managed objects of \(relationship.destination.name) belong"
    if let machinery = type.machinery { throw error("the expression gives \(machinery), \(place)") }
    guard let element = type.operand?.element else { return }
    switch element {
    case .unknown: return
    case .attribute(let type): throw error("the expression gives a value of the type \(type.name), \(place)")
    case .object(let entity):
      // A look-up in a mapping of other objects gives nothing, and mapping models of Xcode's have such remains.
      guard entity.model !== destinationModel else { return }
      throw error(
        "the expression gives objects of \(entity.name)\(side(of: entity)), \(place)",
        hint: "\(ManagerFunction.destinationInstancesForMapping.rawValue) gives what they became")
    }
  }

  /// - Throws: for objects of the model in which a look-up finds nothing.
  func requireInstances(
    _ type: MappedType, of model: ManagedObjectModel, for selector: String
  ) throws(MigrationError) {
    let side = model === sourceModel ? "source" : "destination"
    if let machinery = type.machinery {
      throw error("\"\(selector)\" is given \(machinery), where objects of the \(side) model belong")
    }
    guard case .object(let entity)? = type.operand?.element, entity.model !== model else { return }
    throw error(
      "\"\(selector)\" is given objects of \(entity.name)\(self.side(of: entity)), where those of the \(side) model "
        + "belong, and finds nothing")
  }

  private func side(of entity: Entity) -> String {
    " of the \(entity.model === sourceModel ? "source" : "destination") model"
  }
}
