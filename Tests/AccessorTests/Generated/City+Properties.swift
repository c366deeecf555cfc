// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension City {
  /// String.
  public var City: Swift.String? {
    get { if case .string(let value) = self["City"] { value } else { nil } }
    set { self["City"] = newValue.map { Seedbed.Value.string($0) } ?? .null }
  }

  /// To-one.
  public var CityClass: City? {
    get { object(for: "CityClass").map { Gallery2Classes.checked($0) } }
    set { setObject(newValue, for: "CityClass") }
  }
}

private typealias CityClass_ = City

extension City: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \CityClass_.City: "City"
    case \CityClass_.CityClass: "CityClass"
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
