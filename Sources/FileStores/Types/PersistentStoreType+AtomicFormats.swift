public import StoreInterface

extension PersistentStoreType where Self == AtomicStoreType<BinaryStoreFormat> {
  /// Stores in one compact binary file. The format is this package's own.
  public static var binary: Self { AtomicStoreType(BinaryStoreFormat()) }
}

extension PersistentStoreType where Self == AtomicStoreType<XMLStoreFormat> {
  /// Stores in one XML file, as Core Data writes them.
  public static var xml: Self { AtomicStoreType(XMLStoreFormat()) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `.binary`.
public let BinaryStoreType = AtomicStoreType(BinaryStoreFormat())
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `.xml`.
public let XMLStoreType = AtomicStoreType(XMLStoreFormat())
