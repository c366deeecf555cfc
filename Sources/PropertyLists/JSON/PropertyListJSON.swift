import Foundation

/// Writes the values of a property list as one JSON document.
///
/// The elements of the array of records stand on a line each, so that the line of a record is its number; nothing else
/// starts a line.
struct PropertyListJSON: PropertyListSink {
  private(set) var text: [UInt8] = []
  /// The way to the array of records.
  private let path: [String]
  private var open: [Container] = []

  private struct Container {
    let isObject: Bool
    let hasLines: Bool
    var count = 0
    var key = ""
  }

  /// - Parameter path: keys and positions that lead to the array of records; none: the list itself.
  init(path: [String]) { self.path = path }

  /// Containers that are open.
  var depth: Int { open.count }

  mutating func beginArray() {
    let isWanted =
      open.count == path.count && zip(open, path).allSatisfy { ($0.isObject ? $0.key : String($0.count)) == $1 }
    beginValue()
    text.append(UInt8(ascii: "["))
    open.append(Container(isObject: false, hasLines: isWanted))
  }

  mutating func beginDictionary() {
    beginValue()
    text.append(UInt8(ascii: "{"))
    open.append(Container(isObject: true, hasLines: false))
  }

  mutating func end() {
    guard let last = open.popLast() else { return }
    text.append(UInt8(ascii: last.isObject ? "}" : "]"))
    endValue()
  }

  /// The key of the next value of the innermost object.
  mutating func key(_ key: String) {
    guard let level = open.indices.last else { return }
    if open[level].count > 0 { text.append(UInt8(ascii: ",")) }
    open[level].key = key
    JSONText.append(key.utf8, to: &text)
    text.append(UInt8(ascii: ":"))
  }

  mutating func null() { literal("null") }
  mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }
  mutating func integer(isNegative: Bool, magnitude: UInt64) { literal((isNegative ? "-" : "") + "\(magnitude)") }
  mutating func string(_ value: String) { string(value.utf8) }
  mutating func date(text: String) { string(text.utf8) }
  mutating func data(_ bytes: ArraySlice<UInt8>) { string(Data(bytes).base64EncodedString().utf8) }
  mutating func data(base64: [UInt8]) { string(base64) }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    guard let text = PropertyListDate.text(seconds) else { throw PropertyListError("a date is out of range") }
    string(text.utf8)
  }

  /// A number; what JSON has no number for is a text.
  mutating func real(_ value: Double) {
    if value.isFinite { literal("\(value)") } else { string("\(value)".utf8) }
  }

  private mutating func string(_ bytes: some Collection<UInt8>) {
    beginValue()
    JSONText.append(bytes, to: &text)
    endValue()
  }

  private mutating func literal(_ literal: String) {
    beginValue()
    text += literal.utf8
    endValue()
  }

  private mutating func beginValue() {
    guard let last = open.last, !last.isObject, last.count > 0 else { return }
    text.append(UInt8(ascii: ","))
    if last.hasLines { text.append(0x0A) }
  }

  private mutating func endValue() {
    if let level = open.indices.last { open[level].count += 1 }
  }
}
