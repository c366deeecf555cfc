/// The objects of a context that it keeps alive because its program asked for that (`retainsRegisteredObjects`).
struct RetainedObjects {
  private(set) var isOn = false
  private var objects: [ObjectIdentifier: ManagedObject] = [:]

  /// Keeps these objects, and from now on those that are added.
  mutating func begin(with all: [ManagedObject]) {
    isOn = true
    for object in all { add(object) }
  }

  /// Keeps none any more.
  mutating func end() {
    isOn = false
    objects = [:]
  }

  mutating func add(_ object: ManagedObject) {
    if isOn { objects[ObjectIdentifier(object)] = object }
  }

  mutating func remove(_ object: ManagedObject) {
    if isOn { objects[ObjectIdentifier(object)] = nil }
  }

  mutating func removeAll() { objects = [:] }
}
