import Seedbed

/// The objects of one call of a generator.
struct GeneratedObjects {
  let model: ManagedObjectModel
  /// The objects of each entity, in the order in which they were made.
  private var objects: [[ManagedObject]]
  private var order: [ObjectIdentifier: Int] = [:]

  init(_ model: ManagedObjectModel) {
    self.model = model
    objects = Array(repeating: [], count: model.handles.count)
  }

  mutating func add(_ object: ManagedObject) {
    order[ObjectIdentifier(object)] = order.count
    objects[object.entity.handle.index].append(object)
  }

  /// Those of an entity and of all that descend from it, in their order.
  func ofKind(_ entity: Entity) -> [ManagedObject] {
    let found = model.handles.indices.filter { model.handles[$0].isKind(of: entity) }.map { objects[$0] }
      .filter { !$0.isEmpty }
    if found.count == 1 { return found[0] }
    return found.joined().sorted { place(of: $0) < place(of: $1) }
  }

  /// - Parameter isCounted: whether objects of an entity count.
  func count(ofKind entity: Entity, where isCounted: (Entity) -> Bool = { _ in true }) -> Int {
    model.handles.filter { $0.isKind(of: entity) && isCounted($0) }.reduce(0) { $0 + objects[$1.index].count }
  }

  /// The position among all objects.
  func place(of object: ManagedObject) -> Int { order[ObjectIdentifier(object)] ?? 0 }

  var byName: [String: [ManagedObject]] {
    var result: [String: [ManagedObject]] = [:]
    for entity in model.handles where !objects[entity.index].isEmpty { result[entity.name] = objects[entity.index] }
    return result
  }

  /// The relationships that are stored, each where it is declared; of two that are inverse to each other both.
  var relationships: [Relationship] {
    model.handles.flatMap { entity in
      entity.relationships.filter { $0.declaringEntity == entity && !$0.definition.isTransient }
    }
  }
}
