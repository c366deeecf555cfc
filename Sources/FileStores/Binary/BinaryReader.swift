import Foundation
import MemoryStore
import ObjectModel
import PropertyLists
import StoreInterface

/// Reads the body of a binary store's file. Nothing in it is trusted: every length is compared with what is left.
struct BinaryReader {
  private let bytes: Data
  private var position: Int
  /// Deepest nesting of arrays and dictionaries in metadata.
  private static let maximumDepth = 32

  init(_ bytes: Data) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  // MARK: - Primitives

  private func failure(_ message: String) -> StoreError {
    .failure("byte \(position - bytes.startIndex) of the body: \(message)")
  }

  private mutating func byte() throws(StoreError) -> UInt8 {
    guard position < bytes.endIndex else { throw failure("the body ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func number() throws(StoreError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw failure("a number has more than 64 bits") }
      number |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return number }
      shift += 7
    }
  }

  private mutating func signed() throws(StoreError) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// A number of things, each of which takes at least a byte.
  private mutating func count() throws(StoreError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.endIndex - position) else {
      throw failure("\(count) things do not fit in what is left")
    }
    return Int(count)
  }

  private mutating func read(_ count: Int) throws(StoreError) -> Data {
    guard count <= bytes.endIndex - position else { throw failure("the body ends too early") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func real() throws(StoreError) -> Double {
    Double(bitPattern: try read(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private mutating func text() throws(StoreError) -> String {
    guard let text = String(validating: try read(try count()), as: UTF8.self) else {
      throw failure("a text is not UTF-8")
    }
    return text
  }

  private mutating func uuid() throws(StoreError) -> UUID {
    let data = Array(try read(16))
    return unsafe data.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  // MARK: - Contents

  /// An entity as the file lists it: where its properties lie in the model's snapshots.
  private struct ListedEntity {
    var entity: Entity
    var attributes: [Int]
    var relationships: [Int]
  }

  /// The head of a file, which can be read without a model.
  mutating func head() throws(StoreError) -> (identifier: UUID, metadata: [String: PropertyListValue]) {
    let identifier = try uuid()
    guard case .dictionary(let metadata) = try metadataValue(depth: 0) else {
      throw failure("the metadata are no dictionary")
    }
    return (identifier, metadata)
  }

  mutating func contents(_ model: ManagedObjectModel) throws(StoreError) -> StoreContents {
    let (identifier, metadata) = try head()
    var contents = StoreContents(identifier: identifier, metadata: metadata)
    // Names that the model does not have are better explained by the hashes.
    try StoreContents.check(metadata, against: model)
    let listed = try listedEntities(model)
    for _ in 0..<(try count()) {
      let name = try text()
      guard contents.nextPrimaryKeys.updateValue(try signed(), forKey: name) == nil else {
        throw failure("the next key of \(name) is given twice")
      }
    }
    let store = contents.identifier.uuidString
    for _ in 0..<(try count()) { contents.snapshots.append(try snapshot(listed, store)) }
    for _ in 0..<(try count()) {
      let (owner, entity) = try objectID(listed, store)
      let index = try number()
      guard index < UInt64(entity.relationships.count) else { throw failure("a relationship that is not listed") }
      let name = owner.entity.relationships[entity.relationships[Int(index)]].name
      var members: [ObjectID] = []
      for _ in 0..<(try count()) { members.append(try objectID(listed, store).id) }
      contents.toMany.append(SaveRequest.ToManyChange(owner: owner, relationshipName: name, members: members))
    }
    guard position == bytes.endIndex else { throw failure("something follows the last relationship") }
    return contents
  }

  private mutating func listedEntities(_ model: ManagedObjectModel) throws(StoreError) -> [ListedEntity] {
    var listed: [ListedEntity] = []
    for _ in 0..<(try count()) {
      let name = try text()
      guard let entity = model[name] else { throw failure("the model has no entity \"\(name)\"") }
      let attributes = try names { name in entity.attributes.firstIndex { $0.name == name && !$0.isTransient } }
      let relationships = try names { name in entity.relationships.firstIndex { $0.name == name } }
      guard attributes.count == entity.storedAttributes.count, relationships.count == entity.relationships.count else {
        throw failure("\(name) has other properties in the file than in the model")
      }
      listed.append(ListedEntity(entity: entity, attributes: attributes, relationships: relationships))
    }
    return listed
  }

  private mutating func names(_ index: (String) -> Int?) throws(StoreError) -> [Int] {
    var found: [Int] = []
    for _ in 0..<(try count()) {
      let name = try text()
      guard let index = index(name), !found.contains(index) else {
        throw failure("the property \"\(name)\" does not belong to the model, or is listed twice")
      }
      found.append(index)
    }
    return found
  }

  private mutating func objectID(
    _ listed: [ListedEntity], _ store: String
  ) throws(StoreError) -> (id: ObjectID, entity: ListedEntity) {
    let index = try number()
    guard index < UInt64(listed.count) else { throw failure("an entity that is not listed") }
    let entity = listed[Int(index)]
    return (ObjectID(entity: entity.entity, reference: .permanent(store: store, primaryKey: try signed())), entity)
  }

  private mutating func snapshot(_ listed: [ListedEntity], _ store: String) throws(StoreError) -> Snapshot {
    let (id, entity) = try objectID(listed, store)
    let described = id.entity.attributes
    let version = try signed()
    guard version >= 1 else { throw failure("an object of \(id.entity.name) has version \(version)") }
    var attributes = [Value](repeating: .null, count: described.count)
    for index in entity.attributes {
      let value = try value()
      guard value.stored(as: described[index]) == value else {
        throw failure("\(id.entity.name).\(described[index].name) has a value that is no \(described[index].type.name)")
      }
      attributes[index] = value
    }
    var toOne = [ObjectID?](repeating: nil, count: entity.relationships.count)
    for index in entity.relationships {
      switch try byte() {
      case 0: break
      case 1: toOne[index] = try objectID(listed, store).id
      case let other: throw failure("\(other) where 0 or 1 is expected")
      }
    }
    return Snapshot(objectID: id, version: version, attributes: attributes, toOne: toOne)
  }

  private mutating func tag() throws(StoreError) -> BinaryTag {
    let byte = try byte()
    guard let tag = BinaryTag(rawValue: byte) else { throw failure("there is no kind \(byte) of values") }
    return tag
  }

  private mutating func value(depth: Int = 0) throws(StoreError) -> Value {
    let tag = try tag()
    guard tag == .dictionary else { return try value(tag) }
    guard depth < Self.maximumDepth else { throw failure("a composite is nested too deeply") }
    var elements: [String: Value] = [:]
    for _ in 0..<(try count()) {
      let name = try text()
      let element = try value(depth: depth + 1)
      if elements.updateValue(element, forKey: name) != nil { throw failure("the element \"\(name)\" stands twice") }
    }
    return .composite(elements)
  }

  private mutating func value(_ tag: BinaryTag) throws(StoreError) -> Value {
    switch tag {
    case .null: return .null
    case .integer: return .integer(try signed())
    case .false: return .boolean(false)
    case .true: return .boolean(true)
    case .double: return .double(try real())
    case .date: return .date(Date(timeIntervalSinceReferenceDate: try real()))
    case .string: return .string(try text())
    case .data: return .data(Data(try read(try count())))
    case .uuid: return .uuid(try uuid())
    case .decimal:
      let text = try text()
      guard let number = StoredText.decimal(text) else { throw failure("\"\(text)\" is no decimal number") }
      return .decimal(number)
    case .uri:
      let text = try text()
      guard let url = StoredText.uri(text) else { throw failure("\"\(text)\" is no URI") }
      return .uri(url)
    case .array, .dictionary: throw failure("a list where a value of an attribute is expected")
    }
  }

  private mutating func metadataValue(depth: Int) throws(StoreError) -> PropertyListValue {
    guard depth < Self.maximumDepth else { throw failure("the metadata are nested too deeply") }
    let tag = try tag()
    switch tag {
    case .array:
      var values: [PropertyListValue] = []
      for _ in 0..<(try count()) { values.append(try metadataValue(depth: depth + 1)) }
      return .array(values)
    case .dictionary:
      var values: [String: PropertyListValue] = [:]
      for _ in 0..<(try count()) {
        let key = try text()
        values[key] = try metadataValue(depth: depth + 1)
      }
      return .dictionary(values)
    default: break
    }
    switch try value(tag) {
    case .string(let text): return .string(text)
    case .integer(let number): return .integer(number)
    case .double(let number): return .real(number)
    case .boolean(let flag): return .boolean(flag)
    case .date(let date): return .date(date)
    case .data(let data): return .data(data)
    case .decimal(let number):
      guard let number = UInt64(number.description) else { fallthrough }
      return .unsigned(number)
    default: throw failure("the metadata hold a value that metadata do not have")
    }
  }
}
