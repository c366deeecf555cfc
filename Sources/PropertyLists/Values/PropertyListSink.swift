/// Takes up the values of a property list as they are read.
protocol PropertyListSink {
  /// Containers that are open.
  var depth: Int { get }
  mutating func null() throws(PropertyListError)
  mutating func boolean(_ value: Bool)
  /// A whole number, which may lie beyond 64 bits with a sign.
  mutating func integer(isNegative: Bool, magnitude: UInt64) throws(PropertyListError)
  mutating func real(_ value: Double)
  /// Seconds since 2001-01-01T00:00:00Z.
  mutating func date(_ seconds: Double) throws(PropertyListError)
  /// A date as XML has it, without blanks.
  mutating func date(text: String) throws(PropertyListError)
  mutating func data(_ bytes: ArraySlice<UInt8>)
  /// Data as XML has them, in base64 without blanks.
  mutating func data(base64: [UInt8]) throws(PropertyListError)
  mutating func string(_ value: String)
  mutating func beginArray()
  mutating func beginDictionary()
  /// The key of the next value of the innermost dictionary.
  mutating func key(_ key: String) throws(PropertyListError)
  /// Ends the innermost container.
  mutating func end()
}
