/// Hands the values of a binary property list to a sink, from the outermost on. References are followed as often as
/// they occur, within limits.
struct BinaryPropertyListWalk<Sink: PropertyListSink> {
  private let objects: BinaryPropertyListObjects
  private var limits: PropertyListLimits

  static func read(
    _ bytes: [UInt8], into sink: inout Sink, limits: PropertyListLimits
  ) throws(PropertyListError) {
    let objects = try BinaryPropertyListObjects(bytes)
    var walk = BinaryPropertyListWalk(objects: objects, limits: limits)
    try walk.value(objects.root, into: &sink)
  }

  private init(objects: BinaryPropertyListObjects, limits: PropertyListLimits) {
    self.objects = objects
    self.limits = limits
  }

  /// Calls itself for each level, of which the limits allow few.
  private mutating func value(_ number: Int, into sink: inout Sink) throws(PropertyListError) {
    let start = try objects.offset(of: number)
    limits.valueCount -= 1
    guard sink.depth < limits.depth, limits.valueCount >= 0 else {
      throw PropertyListError("the property list is nested too deeply or has too many values", at: start)
    }
    let (object, byteCount) = try objects.object(number)
    do throws(PropertyListError) {
      switch object {
      case .null: try sink.null()
      case .boolean(let value): sink.boolean(value)
      case .integer(let value): try sink.integer(isNegative: value < 0, magnitude: value.magnitude)
      case .unsigned(let value): try sink.integer(isNegative: false, magnitude: value)
      case .real(let value): sink.real(value)
      case .date(let seconds): try sink.date(seconds)
      case .data(let bytes):
        try spend(byteCount)
        sink.data(bytes)
      case .string(let text):
        try spend(byteCount)
        sink.string(text)
      case .uid:
        throw PropertyListError(
          "it is an archive of objects, not a list of values",
          hint: "write the data as a property list, JSON or CSV where it comes from", at: start)
      case .array(let elements):
        sink.beginArray()
        for index in 0..<elements.count { try value(try objects.number(elements, index), into: &sink) }
        sink.end()
      case .dictionary(let keys, let values):
        sink.beginDictionary()
        for index in 0..<keys.count {
          try key(try objects.number(keys, index), into: &sink)
          try value(try objects.number(values, index), into: &sink)
        }
        sink.end()
      }
    } catch {
      var error = error
      if error.byteOffset == 0 { error.byteOffset = start }
      throw error
    }
  }

  private mutating func key(_ number: Int, into sink: inout Sink) throws(PropertyListError) {
    let (object, byteCount) = try objects.object(number)
    guard case .string(let key) = object else {
      throw PropertyListError("a key is no text", at: try objects.offset(of: number))
    }
    try spend(byteCount)
    try sink.key(key)
  }

  private mutating func spend(_ byteCount: Int) throws(PropertyListError) {
    limits.byteCount -= byteCount
    if limits.byteCount < 0 { throw PropertyListError("the property list has too many values") }
  }
}
