public import ObjectModel
import StoreInterface

extension ManagedObject {
  /// The value of an attribute by name. Setting the value that is there already changes nothing.
  ///
  /// A value of a wrong type is kept and reported by the save. The entity must have the attribute.
  public subscript(name: String) -> Value {
    get { value(at: attributeIndex(name)) }
    set { setValue(newValue, at: attributeIndex(name)) }
  }

  /// The value of an attribute by its position in `Entity.attributes`: for loops over many objects.
  public func value(at index: Int) -> Value {
    checkConfinement()
    fire()
    return values[index]
  }

  /// Sets an attribute by its position in `Entity.attributes`. A Float attribute takes the nearest Float. Does nothing
  /// when the object's values cannot be loaded; the next fetch or save then throws why.
  public func setValue(_ value: Value, at index: Int) {
    checkConfinement()
    fire()
    if status == .fault { return }
    var value = value
    if case .double(let number) = value, runtime.layout.attributes[index].type == .float {
      value = .double(Double(Float(number)))
    }
    if values[index].isIdentical(to: value) { return }
    values[index] = value
    touch()
  }

  private func attributeIndex(_ name: String) -> Int {
    guard let index = runtime.layout.attributeIndexes[name] else {
      // A name that is not in the model is a mistake of the program, as it is in Core Data.
      preconditionFailure("entity \(entity.name) has no attribute \"\(name)\"")
    }
    return index
  }

  /// Loads the values of a fault. A row that is gone leaves an object that counts as deleted, with null values, as
  /// Core Data's contexts do. After an error of the store, which the context's next fetch or save throws, the object
  /// stays a fault with null values, and the next access tries again.
  func fire() {
    if status != .fault { return }
    guard let context else { return makeInert(.gone) }
    do {
      if let snapshot = try context.snapshot(of: objectID) {
        context.load(self, snapshot)
      } else {
        makeInert(.gone)
      }
    } catch {
      context.deferredError = error
      fillWithNulls()
    }
  }

  /// Puts the object on the context's list of objects that a save looks at.
  func touch() {
    guard status == .loaded, !isTouched, let context else { return }
    isTouched = true
    context.touched.append(self)
  }
}
