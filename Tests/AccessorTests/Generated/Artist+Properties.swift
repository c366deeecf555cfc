// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Artist {
  /// String, required.
  public var name: Swift.String {
    get { if case .string(let value) = self["name"] { value } else { "" } }
    set { self["name"] = .string(newValue) }
  }

  /// To-one.
  public var selfProperty: Artist? {
    get { object(for: "self").map { Gallery2Classes.checked($0) } }
    set { setObject(newValue, for: "self") }
  }

  /// To-many, ordered. Loads the members when it is first asked. After an error of the store, which the context's next
  /// fetch or save throws, there are none.
  public var works: [Work] {
    get { members(of: "works").map { Gallery2Classes.checked($0) } }
    set { setValue(newValue, forKey: "works") }
  }

  /// Adds a member at the end; inverses follow.
  public func addToWorks(_ value: Work) {
    mutableOrderedSetValue(forKey: "works").add(value)
  }

  /// Adds members at the end; inverses follow.
  public func addToWorks(_ values: some Sequence<Work>) {
    mutableOrderedSetValue(forKey: "works").addObjects(from: values.map { $0 })
  }

  /// Removes a member; inverses follow.
  public func removeFromWorks(_ value: Work) {
    mutableOrderedSetValue(forKey: "works").remove(value)
  }

  /// Removes members; inverses follow.
  public func removeFromWorks(_ values: some Sequence<Work>) {
    mutableOrderedSetValue(forKey: "works").removeObjects(in: values.map { $0 })
  }

  /// Puts a member at a position; inverses follow.
  public func insertIntoWorks(_ value: Work, at index: Int) {
    mutableOrderedSetValue(forKey: "works").insert(value, at: index)
  }

  /// Puts members at positions of the result, the first at the lowest; inverses follow.
  public func insertIntoWorks(_ values: [Work], at indexes: IndexSet) {
    mutableOrderedSetValue(forKey: "works").insert(values, at: indexes)
  }

  /// Removes the member at a position; inverses follow.
  public func removeFromWorks(at index: Int) {
    mutableOrderedSetValue(forKey: "works").removeObject(at: index)
  }

  /// Removes the members at positions; inverses follow.
  public func removeFromWorks(at indexes: IndexSet) {
    mutableOrderedSetValue(forKey: "works").removeObjects(at: indexes)
  }

  /// Puts a member in the place of another; inverses follow.
  public func replaceWorks(at index: Int, with value: Work) {
    mutableOrderedSetValue(forKey: "works").replaceObject(at: index, with: value)
  }

  /// Puts members in the places of others, the first in the lowest; inverses follow.
  public func replaceWorks(at indexes: IndexSet, with values: [Work]) {
    mutableOrderedSetValue(forKey: "works").replaceObjects(at: indexes, with: values)
  }

  /// Fetched each time. After an error, which the context's next fetch or save throws, there are none.
  public var namesakes: [Artist] {
    fetchedMembers(of: "namesakes").map { Gallery2Classes.checked($0) }
  }
}

extension Artist: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \Artist.name: "name"
    case \Artist.selfProperty: "self"
    case \Artist.works: "works"
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
