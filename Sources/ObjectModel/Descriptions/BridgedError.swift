public import Foundation

/// An error that Core Data code catches as it does Core Data's: `catch let error as NSError`.
///
/// Swift takes such a `catch` for one that catches everything, on every system. Outside Apple's it casts errors only
/// that say how, and the program would go on behind the `catch` as if nothing had been thrown.
public protocol BridgedError: LocalizedError, CustomNSError, ErrorBridging {}

#if canImport(Darwin)
  /// What Swift needs to cast an error to `NSError`: nothing more.
  public typealias ErrorBridging = Error
#else
  /// What Swift needs to cast an error to `NSError`.
  public typealias ErrorBridging = _ObjectiveCBridgeable

  extension BridgedError {
    // swift-format-ignore: NoLeadingUnderscores
    /// The error with its domain, code and information.
    public func _bridgeToObjectiveC() -> NSError {
      var information = errorUserInfo
      if information[NSLocalizedDescriptionKey] == nil { information[NSLocalizedDescriptionKey] = errorDescription }
      return NSError(domain: Self.errorDomain, code: errorCode, userInfo: information)
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// There is no way back.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) { result = nil }

    // swift-format-ignore: NoLeadingUnderscores
    /// There is no way back.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
      result = nil
      return false
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// There is no way back, and no cast that asks for it.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
      preconditionFailure("\(source as Any) cannot be a \(Self.self)")
    }
  }
#endif
