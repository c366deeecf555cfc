import CSQLite

/// An argument of a scalar function, valid during the call.
@safe public struct FunctionArguments {
  @unsafe private let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The number of arguments.
  public let count: Int

  @unsafe init(_ values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
    unsafe self.values = unsafe values
    self.count = count
  }

  /// The argument at a position from 0.
  public subscript(index: Int) -> FunctionValue {
    precondition(index >= 0 && index < count, "a function has \(count) arguments")
    // Safety: SQLite passes `count` values, which live until the function returns; a function must not keep its
    // arguments.
    guard let value = unsafe values?[index] else { return .null }
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
    case SQLITE_TEXT: return .text(unsafe String(decoding: FunctionArguments.bytes(value), as: UTF8.self))
    case SQLITE_BLOB: return .blob(unsafe Array(FunctionArguments.bytes(value)))
    default: return .null
    }
  }

  @unsafe private static func bytes(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_value_blob(value)
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

/// An argument or the result of a scalar function.
public enum FunctionValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

private final class FunctionBox {
  let body: (FunctionArguments) throws -> FunctionValue
  init(_ body: @escaping (FunctionArguments) throws -> FunctionValue) {
    self.body = body
  }
}

@safe private final class CollationBox {
  @unsafe let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
    unsafe self.compare = unsafe compare
  }
}

extension Connection {
  /// Registers a scalar SQL function. An error that it throws fails the statement with the error's description.
  /// Triggers and views of the file may call it too, so it must not have side effects.
  /// - Parameter argumentCount: -1 accepts any number.
  public func registerFunction(
    _ name: String, argumentCount: Int32, isDeterministic: Bool = false,
    _ body: @escaping (FunctionArguments) throws -> FunctionValue
  ) throws(SQLiteError) {
    // Safety: the connection keeps the box until the destructor below, which SQLite calls once: when the function is
    // replaced, or the connection closes.
    let box = unsafe Unmanaged.passRetained(FunctionBox(body)).toOpaque()
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    // SQLite calls the destructor also when registration fails.
    let result = unsafe sqlite3_create_function_v2(
      try handle(), name, argumentCount, flags, box,
      { context, count, values in
        guard let context = unsafe context, let data = unsafe sqlite3_user_data(context) else { return }
        let box = unsafe Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
        do {
          unsafe Connection.setResult(try box.body(FunctionArguments(values, count: Int(count))), of: context)
        } catch {
          unsafe sqlite3_result_error(context, "\(error)", -1)
        }
      }, nil, nil, { data in if let data = unsafe data { unsafe Unmanaged<FunctionBox>.fromOpaque(data).release() } })
    try check(result)
  }

  @unsafe static func setResult(_ value: FunctionValue, of context: OpaquePointer) {
    switch value {
    case .null: unsafe sqlite3_result_null(context)
    case .integer(let integer): unsafe sqlite3_result_int64(context, integer)
    case .real(let real): unsafe sqlite3_result_double(context, real)
    case .text(var text):
      text.withUTF8 { unsafe csqlite_result_text(context, $0.baseAddress, UInt64($0.count)) }
    case .blob(let bytes):
      if bytes.isEmpty {
        unsafe sqlite3_result_zeroblob(context, 0)
      } else {
        unsafe bytes.withUnsafeBytes { unsafe csqlite_result_blob(context, $0.baseAddress, UInt64($0.count)) }
      }
    }
  }

  /// Registers a collation. `compare` gets the UTF-8 bytes of both strings and returns less than, equal to or more
  /// than 0.
  public func registerCollation(
    _ name: String, _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  ) throws(SQLiteError) {
    let box = unsafe Unmanaged.passRetained(CollationBox(compare)).toOpaque()
    let result = unsafe sqlite3_create_collation_v2(
      try handle(), name, SQLITE_UTF8, box,
      { data, leftCount, left, rightCount, right in
        guard let data = unsafe data else { return 0 }
        let box = unsafe Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
        let order = unsafe box.compare(
          UnsafeRawBufferPointer(start: left, count: left == nil ? 0 : Int(leftCount)),
          UnsafeRawBufferPointer(start: right, count: right == nil ? 0 : Int(rightCount)))
        return order < 0 ? -1 : order > 0 ? 1 : 0
      }, { data in if let data = unsafe data { unsafe Unmanaged<CollationBox>.fromOpaque(data).release() } })
    if result != SQLITE_OK {
      // Unlike functions, a collation's destructor is not called when registration fails.
      unsafe Unmanaged<CollationBox>.fromOpaque(box).release()
      throw error(result)
    }
  }
}
