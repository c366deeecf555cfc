// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension House {
  /// Composite Same.
  public var Same: SameComposite? {
    get { SameComposite(self["Same"]) }
    set { self["Same"] = newValue?.compositeValue ?? .null }
  }

  /// Composite Address.
  public var address: Address? {
    get { Address(self["address"]) }
    set { self["address"] = newValue?.compositeValue ?? .null }
  }

  /// Composite Composite.
  public var evil: Composite? {
    get { Composite(self["evil"]) }
    set { self["evil"] = newValue?.compositeValue ?? .null }
  }

  /// Composite default.
  public var keyword: defaultComposite? {
    get { defaultComposite(self["keyword"]) }
    set { self["keyword"] = newValue?.compositeValue ?? .null }
  }

  /// Composite Address.
  public var oldAddress: AddressComposite? {
    get { AddressComposite(self["oldAddress"]) }
    set { self["oldAddress"] = newValue?.compositeValue ?? .null }
  }

  /// Composite Price, required.
  public var price: Price {
    get { Price(self["price"]) ?? Price() }
    set { self["price"] = newValue.compositeValue }
  }

  /// Composite Spot.
  public var spot: Spot? {
    get { Spot(self["spot"]) }
    set { self["spot"] = newValue?.compositeValue ?? .null }
  }

  /// Composite Room.
  public var words: RoomComposite? {
    get { RoomComposite(self["words"]) }
    set { self["words"] = newValue?.compositeValue ?? .null }
  }
}

extension House: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    case \House.Same: "Same"
    case \House.address: "address"
    case \House.evil: "evil"
    case \House.keyword: "keyword"
    case \House.oldAddress: "oldAddress"
    case \House.price: "price"
    case \House.spot: "spot"
    case \House.words: "words"
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
