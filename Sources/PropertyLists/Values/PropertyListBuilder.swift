import Foundation

/// Makes one value of what is read.
struct PropertyListBuilder: PropertyListSink {
  /// The value, once all was read.
  private(set) var value: PropertyListValue?
  private var open: [Container] = []

  private struct Container {
    let isDictionary: Bool
    var values: [PropertyListValue] = []
    var entries: [String: PropertyListValue] = [:]
    var key = ""
  }

  var depth: Int { open.count }

  private mutating func add(_ new: PropertyListValue) {
    guard let last = open.indices.last else {
      value = new
      return
    }
    if open[last].isDictionary { open[last].entries[open[last].key] = new } else { open[last].values.append(new) }
  }

  mutating func null() throws(PropertyListError) { throw PropertyListError("a value is null") }
  mutating func boolean(_ value: Bool) { add(.boolean(value)) }
  mutating func real(_ value: Double) { add(.real(value)) }
  mutating func string(_ value: String) { add(.string(value)) }
  mutating func data(_ bytes: ArraySlice<UInt8>) { add(.data(Data(bytes))) }
  mutating func date(_ seconds: Double) { add(.date(Date(timeIntervalSinceReferenceDate: seconds))) }

  mutating func integer(isNegative: Bool, magnitude: UInt64) throws(PropertyListError) {
    if !isNegative, magnitude > UInt64(Int64.max) { return add(.unsigned(magnitude)) }
    guard magnitude <= 1 << 63 else { throw PropertyListError("a number is too large") }
    add(.integer(Int64(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)))
  }

  mutating func date(text: String) throws(PropertyListError) {
    guard let date = PropertyListDate.date(text) else { throw PropertyListError("\"\(text)\" is no date") }
    add(.date(date))
  }

  mutating func data(base64: [UInt8]) throws(PropertyListError) {
    guard let data = Data(base64Encoded: Data(base64)) else { throw PropertyListError("data are no base64") }
    add(.data(data))
  }

  mutating func beginArray() { open.append(Container(isDictionary: false)) }
  mutating func beginDictionary() { open.append(Container(isDictionary: true)) }

  mutating func key(_ key: String) throws(PropertyListError) {
    guard let last = open.indices.last, open[last].entries[key] == nil else {
      throw PropertyListError("the key \"\(key.prefix(64))\" stands twice")
    }
    open[last].key = key
  }

  mutating func end() {
    guard let last = open.popLast() else { return }
    add(last.isDictionary ? .dictionary(last.entries) : .array(last.values))
  }
}
