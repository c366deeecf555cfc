/// A value in a keyed archive.
package enum ArchivedValue {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case string(String)
  case data(ArraySlice<UInt8>)
  case object(ArchivedObject)

  /// A whole or other number as a double.
  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  /// What kind of value it is, for messages.
  package var shownKind: String {
    switch self {
    case .null: "nothing"
    case .boolean: "a Boolean"
    case .integer, .real: "a number"
    case .date: "a date"
    case .string: "a string"
    case .data: "data"
    case .object(let object): "an object of the class \(object.shownClass)"
    }
  }
}

/// An object of a keyed archive: the name of its class and its fields, whose values are read when they are asked for.
package struct ArchivedObject {
  package let archive: KeyedArchive
  /// Its number in the archive; the same object always has the same one.
  package let reference: Int
  package let className: String
  /// Name of the field → number of its value in the property list.
  package let fields: [String: Int]

  /// The class, nil when it is no class that a model has.
  package var kind: ArchiveClass? { ArchiveClass(rawValue: className) }

  /// The class's name, cut where a hostile file has a long one.
  package var shownClass: String { String(className.prefix(64)) }

  /// The field's value; nil when it is absent or null.
  package func value(_ name: String) throws(ArchiveError) -> ArchivedValue? {
    guard let number = fields[name] else { return nil }
    let value = try archive.value(number)
    if case .null = value { return nil }
    return value
  }

  /// A string, nil when it is absent or null.
  package func string(_ name: String) throws(ArchiveError) -> String? {
    guard let value = try value(name) else { return nil }
    guard case .string(let text) = value else { throw mismatch(name, "a string", value) }
    return text
  }

  /// A string that is neither absent nor empty.
  package func requiredString(_ name: String) throws(ArchiveError) -> String {
    guard let text = try string(name), !text.isEmpty else { throw ArchiveError("\(shownClass) has no \(name)") }
    return text
  }

  /// A whole number, nil when it is absent.
  package func integer(_ name: String) throws(ArchiveError) -> Int? {
    guard let value = try value(name) else { return nil }
    guard case .integer(let number) = value, let number = Int(exactly: number) else {
      throw mismatch(name, "a whole number", value)
    }
    return number
  }

  /// A Boolean; false when it is absent.
  package func flag(_ name: String) throws(ArchiveError) -> Bool {
    switch try value(name) {
    case nil: false
    case .boolean(let flag)?: flag
    case .integer(0)?: false
    case .integer(1)?: true
    case let value?: throw mismatch(name, "a Boolean", value)
    }
  }

  /// An object of one of these classes, nil when it is absent or null.
  package func object(_ name: String, _ kinds: ArchiveClass...) throws(ArchiveError) -> ArchivedObject? {
    guard let value = try value(name) else { return nil }
    guard case .object(let object) = value, let kind = object.kind, kinds.contains(kind) else {
      throw mismatch(name, kinds.first?.rawValue ?? "an object", value)
    }
    return object
  }

  /// The elements of an array or set; nil when it is absent or null.
  package func list(_ name: String) throws(ArchiveError) -> [ArchivedValue]? {
    guard let value = try value(name) else { return nil }
    guard let elements = try value.elements() else { throw mismatch(name, "an array or a set", value) }
    return elements
  }

  /// The entries of a dictionary with strings as keys, in the archive's order; nil when it is absent or null.
  package func dictionary(_ name: String) throws(ArchiveError) -> [(key: String, value: ArchivedValue)]? {
    guard let value = try value(name) else { return nil }
    guard case .object(let object) = value, let entries = try object.entries() else {
      throw mismatch(name, "a dictionary", value)
    }
    return entries
  }

  private func mismatch(_ name: String, _ expected: String, _ value: ArchivedValue) -> ArchiveError {
    ArchiveError("\(name) of \(shownClass) is \(value.shownKind), not \(expected)")
  }

  /// The entries when it is a dictionary of any kind, nil when it is something else.
  package func entries() throws(ArchiveError) -> [(key: String, value: ArchivedValue)]? {
    let keys: [ArchivedValue]
    let values: [ArchivedValue]
    var emptySlot: String?
    switch kind {
    case .dictionary, .mutableDictionary:
      guard let keyList = fields["NS.keys"], let valueList = fields["NS.objects"] else {
        throw ArchiveError("an archived dictionary has no keys or values")
      }
      keys = try archive.values(keyList)
      values = try archive.values(valueList)
    case .knownKeysDictionary:
      keys = try object("searchMapping", .knownKeysMapping)?.list("keys") ?? []
      values = try list("values") ?? []
      emptySlot = try string("emptyToken")
    default: return nil
    }
    guard keys.count == values.count else { throw ArchiveError("an archived dictionary has more keys than values") }
    var entries: [(key: String, value: ArchivedValue)] = []
    var seen: Set<String> = []
    for (key, value) in zip(keys, values) {
      guard case .string(let text) = key, seen.insert(text).inserted else {
        throw ArchiveError("a key of an archived dictionary is not a string, or stands twice")
      }
      if let emptySlot, case .string(emptySlot) = value { continue }
      entries.append((text, value))
    }
    return entries
  }
}

extension ArchivedValue {
  /// The elements when it is an array or a set, nil when it is something else.
  package func elements() throws(ArchiveError) -> [ArchivedValue]? {
    guard case .object(let object) = self else { return nil }
    switch object.kind {
    case .array, .mutableArray, .set, .mutableSet:
      guard let list = object.fields["NS.objects"] else { throw ArchiveError("an archived array has no elements") }
      return try object.archive.values(list)
    default: return nil
    }
  }

  /// The elements of an array or a set, or the values of a dictionary; nil for anything else.
  package func collectedValues() throws(ArchiveError) -> [ArchivedValue]? {
    if let elements = try elements() { return elements }
    guard case .object(let object) = self else { return nil }
    return try object.entries()?.map(\.value)
  }
}
