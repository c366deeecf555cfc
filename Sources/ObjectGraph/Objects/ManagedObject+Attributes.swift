public import ObjectModel
import StoreInterface

extension ManagedObject {
  /// The value of an attribute by name, or of an element of a composite by its dotted path.
  package func attributeValue(_ name: String) -> Value {
    if let index = runtime.attributeIndex(name) { return value(at: index) }
    let (index, path) = elementPlace(name)
    return value(at: index).element(at: path)
  }

  func setAttributeValue(_ value: Value, _ name: String) {
    if let index = runtime.attributeIndex(name) { return setValue(value, at: index) }
    let (index, path) = elementPlace(name)
    setValue(self.value(at: index).settingElement(at: path, to: value), at: index)
  }

  /// The value of an attribute by its position in `Entity.attributes`: for loops over many objects.
  public func value(at index: Int) -> Value {
    checkConfinement()
    fire()
    return loadedValue(index)
  }

  /// Sets an attribute by its position in `Entity.attributes`. A Float attribute takes the nearest Float, and a
  /// composite without elements that are not null is null. Does nothing when the object's values cannot be loaded; the
  /// next fetch or save then throws why.
  public func setValue(_ value: Value, at index: Int) {
    checkConfinement()
    fire()
    if status == .fault { return }
    if status == .inserted && isInEvent && !runtime.isNormalized[index] {
      // A new object is not compared with earlier values.
      putValue(value, at: index)
    } else if runtime.isNormalized[index] {
      change(runtime.layout.attributes[index].normalized(value), at: index)
    } else {
      change(value, at: index)
    }
  }

  @inline(__always) private func change(_ value: Value, at index: Int) {
    if hasLoadedValue(value, at: index) { return }
    if isInEvent && (status != .loaded || isMaybeUpdated) { return putValue(value, at: index) }
    // The weak reference is read once, because each read is costly.
    let context = context
    if !isInEvent { context?.noteFirstChange(of: self) }
    putValue(value, at: index)
    if status == .loaded && !isMaybeUpdated { context?.pending.noteUpdate(of: self) }
  }

  /// The attribute of a dotted path, and the names of the elements behind it.
  private func elementPlace(_ name: String) -> (index: Int, path: ArraySlice<String>) {
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.count > 1, let first = path.first, let index = runtime.layout.attributeIndexes[first],
      runtime.layout.attributes[index].element(at: path.dropFirst()) != nil
    else {
      // A name that is not in the model is a mistake of the program, as it is in Core Data.
      preconditionFailure(unknownKey(name))
    }
    return (index, path.dropFirst())
  }

  /// What stops a program that names a property which the entity does not have.
  func unknownKey(_ name: String) -> String {
    "the entity \(entity.name) is not key value coding-compliant for the key \"\(name)\""
  }

  /// Loads the values of a fault. A row that is gone leaves an object that counts as deleted, with null values, unless
  /// `shouldDeleteInaccessibleFaults` is off. After an error of the store, which the context's next fetch or save
  /// throws, the object stays a fault with null values, and the next access tries again.
  @inline(__always) func fire() {
    if status == .fault { loadValues() } else if isEmptied { endEmptiness() }
  }

  private func loadValues() {
    if isContextGone { return makeInert(.gone) }
    if loadSnapshotRow() {
      if runtime.hasSubclass { awake() }
      return
    }
    guard let context else { return makeInert(.gone) }
    if let snapshot = stored { return context.load(self, snapshot) }
    do {
      if let snapshot = try context.snapshot(firing: self) {
        context.load(self, snapshot)
      } else if context.settings.shouldDeleteInaccessibleFaults {
        // A row that comes back gets a new object, and undo may have brought an earlier one back.
        if context.registeredObject(for: objectID) === self {
          context.unregister(objectID)
          context.pending.noteLoss(of: objectID)
        }
        makeInert(.gone)
      } else {
        context.deferError(ContextError.objectGone(objectID))
        fillWithNulls()
      }
    } catch {
      context.deferError(error)
      fillWithNulls()
    }
  }

  /// Calls `awakeFromFetch()`, marked as the running hook.
  func awake() { running(.awakeFromFetch) { awakeFromFetch() } }

  /// Marks the hook that runs. One may run within another: a refresh in `prepareForDeletion` fetches anew.
  func running(_ hook: ObjectMarks.Hook, _ body: () -> Void) {
    let outer = marks.hook
    marks.hook = hook
    body()
    marks.hook = outer
  }

  /// To be called before a property changes: notes what the object was when the current event began.
  @inline(__always) func willChange() {
    if marks.eventIndex < 0 { context?.noteFirstChange(of: self) }
  }

  /// Puts the object on the context's list of objects that a save looks at.
  func noteUpdate() {
    if status == .loaded && !isMaybeUpdated { context?.pending.noteUpdate(of: self) }
  }
}
