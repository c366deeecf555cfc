public import Foundation

/// What accessors of hand-written classes read and set: `var owner: Person? { get { self["owner"] } set { … } }`.
extension ManagedObject {
  /// The object of a to-one relationship; nil where there is none, or one of another class.
  @_disfavoredOverload
  public subscript<Object: ManagedObject>(name: String) -> Object? {
    get { object(for: name) as? Object }
    set { setObject(newValue, for: name) }
  }

  /// A value as an object of Foundation's, as accessors of Transformable attributes have it that Xcode makes where the
  /// model names no class; nil where there is none.
  @_disfavoredOverload
  public subscript(name: String) -> NSObject? {
    get { Self.bridged(value(forKey: name)) }
    set { setValue(newValue, forKey: name) }
  }

  fileprivate static func bridged<Object: NSObject>(_ value: Any?) -> Object? {
    switch value {
    case let value as Object: value
    case let number as Double: NSNumber(value: number) as? Object
    case let number as Int64: NSNumber(value: number) as? Object
    case let number as Int: NSNumber(value: number) as? Object
    case let flag as Bool: NSNumber(value: flag) as? Object
    case let text as String: NSString(string: text) as? Object
    case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate) as? Object
    case let bytes as Data: NSData(data: bytes) as? Object
    case let url as URL: NSURL(string: url.absoluteString) as? Object
    case let uuid as UUID: NSUUID(uuidString: uuid.uuidString) as? Object
    case let elements as [Any]: NSArray(array: elements) as? Object
    case let elements as [String: Any]: NSDictionary(dictionary: elements) as? Object
    default: nil
    }
  }
}

/// Subscripts of managed objects that give one class of Foundation's each. They are members of a protocol, because Swift
/// takes a type's own before those: where any object is asked for, it is the one above.
public protocol FoundationSubscripts: AnyObject {}

extension ManagedObject: FoundationSubscripts {}

extension FoundationSubscripts where Self: ManagedObject {
  /// The members of a to-many relationship as a set of Foundation's.
  @_disfavoredOverload
  public subscript(name: String) -> NSSet? {
    get { NSSet(array: members(of: name)) }
    set { setValue(newValue, forKey: name) }
  }

  /// The members of an ordered to-many relationship as an ordered set of Foundation's.
  @_disfavoredOverload
  public subscript(name: String) -> NSOrderedSet? {
    get { NSOrderedSet(array: members(of: name)) }
    set { setValue(newValue, forKey: name) }
  }

  /// A number as a decimal of Foundation's; nil where there is none.
  @_disfavoredOverload
  public subscript(name: String) -> NSDecimalNumber? {
    get { (self[name] as Decimal?).map { NSDecimalNumber(decimal: $0) } }
    set { self[name] = newValue?.decimalValue }
  }

  /// A value as one of Foundation's classes, as accessors have it that Xcode made for older programs: `NSNumber`,
  /// `NSDate`, `NSData`, `NSString`, `NSURL`, `NSUUID`, `NSArray`, `NSDictionary`; nil where there is none, or one of
  /// another class.
  @_disfavoredOverload
  public subscript<Object: NSObject>(name: String) -> Object? {
    get { Self.bridged(value(forKey: name)) }
    set { setValue(newValue, forKey: name) }
  }
}
