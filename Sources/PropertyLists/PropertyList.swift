/// Reads property lists, and writes them.
package enum PropertyList {
  /// Whether bytes begin as a binary property list does.
  package static func isBinary(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: "bplist".utf8) }

  /// The value of a binary property list.
  /// - Throws: `PropertyListError` when the bytes are damaged, or hold what has no place among values.
  package static func decode(
    binary bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) -> PropertyListValue {
    var builder = PropertyListBuilder()
    try BinaryPropertyListWalk.read(bytes, into: &builder, limits: limits)
    guard let value = builder.value else { throw PropertyListError("the property list has no value") }
    return value
  }

  /// The value of a property list in XML; nil when `<plist>` is empty.
  /// - Throws: `PropertyListError` also for lists that end too early.
  package static func decode(
    xml bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) -> PropertyListValue? {
    var builder = PropertyListBuilder()
    try XMLPropertyListReader.read(bytes, into: &builder, limits: limits, allowsNothing: true)
    return builder.value
  }

  /// The bytes of a binary property list; equal values give equal bytes.
  package static func encode(binary value: PropertyListValue) -> [UInt8] { BinaryPropertyListWriter.encode(value) }

  /// A property list, in XML or binary, as one JSON document: dates in ISO 8601, data in base64.
  /// - Parameter path: keys and positions that lead to the array of records, whose elements stand on a line each.
  package static func json(
    _ bytes: [UInt8], path: [String], limits: PropertyListLimits
  ) throws(PropertyListError) -> [UInt8] {
    var json = PropertyListJSON(path: path)
    if isBinary(bytes) {
      try BinaryPropertyListWalk.read(bytes, into: &json, limits: limits)
    } else {
      try XMLPropertyListReader.read(bytes, into: &json, limits: limits, allowsNothing: false)
    }
    return json.text
  }
}
