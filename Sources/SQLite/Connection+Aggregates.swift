import CSQLite

/// The values that an aggregate function has been given for one group. The group's word in SQLite's memory holds the
/// one reference to it, which the final step gives back.
private final class AggregateState {
  var values: [FunctionValue] = []
}

/// The closure of an aggregate function. SQLite holds it, and gives it back when the function is replaced or the
/// connection is closed.
private final class AggregateBox {
  let finish: ([FunctionValue]) -> FunctionValue
  init(_ finish: @escaping ([FunctionValue]) -> FunctionValue) {
    self.finish = finish
  }
}

extension Connection {
  /// Registers an aggregate function of one argument, which is given all values of a group that are not NULL.
  public func registerAggregate(
    _ name: String, _ finish: @escaping ([FunctionValue]) -> FunctionValue
  ) throws(SQLiteError) {
    let database = unsafe try handle()
    let box = unsafe Unmanaged.passRetained(AggregateBox(finish)).toOpaque()
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC
    let result = unsafe sqlite3_create_function_v2(
      database, name, 1, flags, box, nil,
      { context, count, values in
        guard let context = unsafe context, let state = unsafe Connection.state(of: context, makes: true) else {
          return
        }
        let value = unsafe FunctionArguments(values, count: Int(count))[0]
        if value != .null { state.values.append(value) }
      },
      { context in
        guard let context = unsafe context, let data = unsafe sqlite3_user_data(context) else { return }
        let box = unsafe Unmanaged<AggregateBox>.fromOpaque(data).takeUnretainedValue()
        let state = unsafe Connection.state(of: context, makes: false)
        unsafe Connection.setResult(box.finish(state?.values ?? []), of: context)
        unsafe Connection.releaseState(of: context)
      }, { data in if let data = unsafe data { unsafe Unmanaged<AggregateBox>.fromOpaque(data).release() } })
    try check(result)
  }

  /// SQLite keeps one zeroed word for each group, in which the state's address is put.
  @unsafe private static func state(of context: OpaquePointer, makes: Bool) -> AggregateState? {
    let size = unsafe Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard let word = unsafe sqlite3_aggregate_context(context, makes ? size : 0) else { return nil }
    // Safety: the word has the size of a pointer and is zero at first; only this file puts an address there.
    let slot = unsafe word.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let known = unsafe slot.pointee {
      return unsafe Unmanaged<AggregateState>.fromOpaque(known).takeUnretainedValue()
    }
    if !makes { return nil }
    let state = AggregateState()
    unsafe slot.pointee = Unmanaged.passRetained(state).toOpaque()
    return state
  }

  /// SQLite calls the final step for every group that was begun, also when the statement is given up.
  @unsafe private static func releaseState(of context: OpaquePointer) {
    guard let word = unsafe sqlite3_aggregate_context(context, 0) else { return }
    let slot = unsafe word.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let known = unsafe slot.pointee {
      unsafe Unmanaged<AggregateState>.fromOpaque(known).release()
      unsafe slot.pointee = nil
    }
  }
}
