import ObjectModel
import Predicates

extension ManagedObject {
  /// The objects that a fetched property of the entity, or of an ancestor, stands for: those of its request, in which
  /// `$FETCH_SOURCE` is this object, `$FETCH_SOURCE.name` what it has there now, and `$FETCHED_PROPERTY.userInfo.key`
  /// an entry of the property. They are fetched each time, pending changes included; nothing is kept.
  /// - Throws: what `FetchRequest(template:model:variables:)` and a fetch throw.
  public func fetchedObjects(for name: String) throws -> [ManagedObject] {
    checkConfinement()
    guard let property = fetchedProperty(name) else { preconditionFailure(unknownKey(name)) }
    guard let context else { throw ContextError.contextGone }
    let request = try FetchRequest<ManagedObject>(template: property.fetchRequest, model: entity.model)
    request.resultType = .managedObjectResultType
    // What this object has counts, saved or not; a store has only what is saved.
    request.predicate = request.predicate?
      .replacingPaths(of: "FETCH_SOURCE") { path in
        (try? FetchExpression.keyPath(path).evaluate(with: self)).map(FetchExpression.init)
      }
      .replacingPaths(of: "FETCHED_PROPERTY") { path in
        guard path.count > 1, path.first == "userInfo" else { return nil }
        return property.userInfo[path.dropFirst().joined(separator: ".")].map { .constant(.string($0)) }
      }
      .withSubstitutionVariables(["FETCH_SOURCE": self])
    return try context.fetch(request)
  }

  /// The objects of a fetched property as `fetchedObjects(for:)` gives them, without an error to handle: generated
  /// properties are made of this. After an error, which the context's next fetch or save throws, there are none.
  public func fetchedMembers(of name: String) -> [ManagedObject] {
    do {
      return try fetchedObjects(for: name)
    } catch {
      context?.deferError(error)
      return []
    }
  }

  func fetchedProperty(_ name: String) -> FetchedPropertyDefinition? {
    var candidate: Entity? = entity
    while let entity = candidate {
      if let property = entity.definition.fetchedProperties.first(where: { $0.name == name }) { return property }
      candidate = entity.superentity
    }
    return nil
  }
}

extension FetchExpression {
  fileprivate init(_ value: ExpressionValue) {
    self =
      switch value {
      case .value(let value): .constant(value)
      case .object(let id): .object(id)
      case .list(let elements): .aggregate(elements.map { FetchExpression($0) })
      }
  }
}
