import Foundation

/// A keyed archive (what `NSKeyedArchiver` writes as a binary property list), read strictly and lazily.
///
/// No object is made from a class that the archive names. Objects are read when they are asked for, once each; every
/// step counts against a limit of work, so that shared objects cannot expand without bound.
package final class KeyedArchive {
  /// The steps allowed per archive; a model of 500 entities with 50 properties each takes about a million.
  package static let maximumStepCount = 8_000_000

  private let table: ArchiveTable
  /// Number in the table of each archived object, by the number that references use.
  private let archived: [Int]
  private let rootReference: Int
  private var known: [Int: ArchivedObject] = [:]
  private var stepsLeft = KeyedArchive.maximumStepCount

  package init(_ bytes: [UInt8]) throws(ArchiveError) {
    table = try ArchiveTable(bytes)
    guard case .dictionary(let keys, let values) = table.objects[table.root] else {
      throw ArchiveError("it is a property list, but not a keyed archive")
    }
    let top = try Self.entries(keys, values, in: table)
    guard let archiver = top["$archiver"], case .string("NSKeyedArchiver") = table.objects[archiver],
      let version = top["$version"], case .integer(100_000) = table.objects[version],
      let list = top["$objects"], case .array(let archived) = table.objects[list],
      let roots = top["$top"], case .dictionary(let rootKeys, let rootValues) = table.objects[roots],
      let root = try Self.entries(rootKeys, rootValues, in: table)["root"],
      case .uid(let reference) = table.objects[root]
    else { throw ArchiveError("it is a property list, but not a keyed archive of the known version") }
    self.archived = archived
    rootReference = reference
  }

  /// The archived object that holds all others.
  package func root() throws(ArchiveError) -> ArchivedValue { try dereference(rootReference) }

  /// Counts steps of work.
  package func spend(_ steps: Int) throws(ArchiveError) {
    stepsLeft -= steps
    if stepsLeft < 0 { throw .tooMuchWork }
  }

  /// The value at a place of the table, a reference followed once.
  package func value(_ number: Int) throws(ArchiveError) -> ArchivedValue {
    try spend(1)
    switch table.objects[number] {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .string(let text):
      try spend(text.utf8.count / 8)
      return .string(text)
    case .uid(let reference): return try dereference(reference)
    case .array, .dictionary: throw ArchiveError("a collection stands where a reference belongs")
    }
  }

  /// The values of an array that stands directly in an object, such as `NS.objects`.
  package func values(_ number: Int) throws(ArchiveError) -> [ArchivedValue] {
    guard case .array(let elements) = table.objects[number] else {
      throw ArchiveError("something other than an array stands where the elements of a collection belong")
    }
    var values: [ArchivedValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try value(element)) }
    return values
  }

  private func dereference(_ reference: Int) throws(ArchiveError) -> ArchivedValue {
    try spend(1)
    // The first object of every archive is the string "$null", which stands for nil.
    if reference == 0 { return .null }
    guard reference < archived.count else { throw ArchiveError("a reference leads to an object that is not there") }
    let number = archived[reference]
    switch table.objects[number] {
    case .uid: throw ArchiveError("a reference leads to another reference")
    case .dictionary(let keys, let values):
      return try plain(try object(reference, keys, values))
    default: return try value(number)
    }
  }

  private func object(_ reference: Int, _ keys: [Int], _ values: [Int]) throws(ArchiveError) -> ArchivedObject {
    if let object = known[reference] { return object }
    try spend(keys.count)
    let fields = try Self.entries(keys, values, in: table)
    guard let number = fields["$class"], case .uid(let classReference) = table.objects[number],
      archived.indices.contains(classReference),
      case .dictionary(let classKeys, let classValues) = table.objects[archived[classReference]],
      classKeys.count <= 8,
      let nameNumber = try Self.entries(classKeys, classValues, in: table)["$classname"],
      case .string(let name) = table.objects[nameNumber]
    else { throw ArchiveError("an archived object has no class") }
    let object = ArchivedObject(archive: self, reference: reference, className: name, fields: fields)
    known[reference] = object
    return object
  }

  /// Objects that only wrap a value become that value.
  private func plain(_ object: ArchivedObject) throws(ArchiveError) -> ArchivedValue {
    switch object.kind {
    case .null: return .null
    case .string, .mutableString:
      if let text = try object.string("NS.string") { return .string(text) }
      throw ArchiveError("an archived string has no text")
    case .data, .mutableData:
      if case .data(let bytes)? = try object.value("NS.data") { return .data(bytes) }
      throw ArchiveError("archived data has no bytes")
    case .date:
      if let seconds = try object.value("NS.time")?.number { return .date(seconds) }
      throw ArchiveError("an archived date has no time")
    default: return .object(object)
    }
  }

  private static func entries(
    _ keys: [Int], _ values: [Int], in table: ArchiveTable
  ) throws(ArchiveError) -> [String: Int] {
    var entries: [String: Int] = [:]
    entries.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = table.objects[key] else {
        throw ArchiveError("a dictionary's key is not a string")
      }
      guard entries.updateValue(value, forKey: name) == nil else {
        throw ArchiveError("a dictionary has the key \(name.prefix(64)) twice")
      }
    }
    return entries
  }
}
