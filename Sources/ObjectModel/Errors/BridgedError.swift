public import Foundation

/// An error that Core Data code catches as it does Core Data's: `catch let error as NSError`.
///
/// Swift takes such a `catch` for one that catches everything, on every system. Outside Apple's only bridged errors can
/// be cast to `NSError`; after any other the program would go on behind the `catch` as if nothing had been thrown.
public protocol BridgedError: LocalizedError, CustomNSError, ErrorBridging {}

extension BridgedError {
  /// The texts that `LocalizedError` asks for, under Foundation's keys.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [:]
    information[NSLocalizedDescriptionKey] = errorDescription
    information[NSLocalizedFailureReasonErrorKey] = failureReason
    information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    return information
  }
}

#if canImport(Darwin)
  /// What Swift needs to cast an error to `NSError`: nothing more.
  public typealias ErrorBridging = Error
#else
  /// What Swift needs to cast an error to `NSError`.
  public typealias ErrorBridging = _ObjectiveCBridgeable

  extension BridgedError {
    // swift-format-ignore: NoLeadingUnderscores
    /// The error with its domain, code and information. When it is thrown on, a `catch` of this type still catches it.
    public func _bridgeToObjectiveC() -> NSError {
      var information = errorUserInfo
      if information[NSLocalizedDescriptionKey] == nil { information[NSLocalizedDescriptionKey] = errorDescription }
      return CarryingError(self, domain: Self.errorDomain, code: errorCode, userInfo: information)
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// The error that was bridged; nil for others.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
      result = (source as? CarryingError)?.error as? Self
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// The error that was bridged, where it is one of these.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
      result = (source as? CarryingError)?.error as? Self
      return result != nil
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// Swift calls this for no cast of an error.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
      guard let error = (source as? CarryingError)?.error as? Self else {
        preconditionFailure("\(source as Any) cannot be a \(Self.self)")
      }
      return error
    }
  }

  /// An error as `NSError`, with the error that it was made of.
  private final class CarryingError: NSError, @unchecked Sendable {
    // Both are Sendable; unchecked as NSError is.
    let error: any Error

    init(_ error: any Error, domain: String, code: Int, userInfo: [String: Any]) {
      self.error = error
      super.init(domain: domain, code: code, userInfo: userInfo)
    }

    /// An archive cannot hold a Swift error.
    required init?(coder: NSCoder) { nil }
  }
#endif
