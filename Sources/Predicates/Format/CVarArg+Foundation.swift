#if !canImport(ObjectiveC)
  public import Foundation
#endif

// Core Data code passes dates and the like as `date as CVarArg`. With Apple's Foundation such a cast gives the class
// that the type bridges to, which is a `CVarArg`; elsewhere nothing bridges, so the types conform themselves.
// `String(format:)` then writes them for `%@` as it writes those classes: by their description.

extension FetchPredicate {
  /// As `init(format:_:)` of `PredicateArgument`, with arguments that were cast to `CVarArg`, as in `uuid as CVarArg`.
  /// One that cannot be an argument of a predicate stops the program.
  @_disfavoredOverload
  public init(format: String, _ arguments: any CVarArg...) {
    self.init(format: format, argumentArray: arguments as [Any])
  }
}

extension FetchExpression {
  /// As `init(format:_:)` of `PredicateArgument`, with arguments that were cast to `CVarArg`.
  @_disfavoredOverload
  public init(format: String, _ arguments: any CVarArg...) {
    self.init(format: format, argumentArray: arguments as [Any])
  }
}

#if !canImport(ObjectiveC)
  private func notForC(_ type: Any.Type) -> Never { preconditionFailure("functions of C take no \(type)") }

  extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(Date.self) }
  }

  extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(UUID.self) }
  }

  extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(URL.self) }
  }

  extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(Decimal.self) }
  }

  extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(Data.self) }
  }

  extension _CVarArgObject where Self: NSObject {
    /// What `String(format:)` writes for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// Stops the program, as that of `String` does: only what takes `_cVarArgObject` can have it.
    public var _cVarArgEncoding: [Int] { notForC(Self.self) }
  }

  extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSUUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSData: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSNull: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject {}
  extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject {}
#endif
