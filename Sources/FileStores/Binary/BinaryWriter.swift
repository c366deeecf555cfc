import Foundation
import MemoryStore
import ObjectModel
import PropertyLists
import StoreInterface

/// The body of a binary store's file.
struct BinaryWriter {
  private(set) var bytes = Data()

  // MARK: - Primitives

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(count: Int) { append(UInt64(count)) }

  /// Small numbers of either sign take few bytes.
  mutating func append(signed number: Int64) { append(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  mutating func append(_ real: Double) {
    let bits = real.bitPattern
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  }

  mutating func append(_ text: String) {
    append(count: text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(_ data: Data) {
    append(count: data.count)
    bytes += data
  }

  mutating func append(_ uuid: UUID) { unsafe withUnsafeBytes(of: uuid.uuid) { unsafe bytes.append(contentsOf: $0) } }

  // MARK: - Contents

  mutating func append(_ contents: StoreContents, _ model: ManagedObjectModel) {
    append(contents.identifier)
    append(PropertyListValue.dictionary(contents.metadata))
    append(count: model.entities.count)
    for entity in model.entities {
      append(entity.name)
      appendNames(entity.storedAttributes.map(\.name))
      appendNames(entity.relationships.map(\.name))
    }
    append(count: contents.nextPrimaryKeys.count)
    for (name, next) in contents.nextPrimaryKeys.sorted(by: { $0.key.precedesByCodePoint($1.key) }) {
      append(name)
      append(signed: next)
    }
    append(count: contents.snapshots.count)
    for snapshot in contents.snapshots { append(snapshot) }
    let lists = contents.toMany.filter { list in
      guard let relationship = list.owner.entity.relationship(list.relationshipName) else { return true }
      return !relationship.isSaidByToOneSide
    }
    append(count: lists.count)
    for list in lists {
      append(list.owner)
      append(count: list.owner.entity.relationships.firstIndex { $0.name == list.relationshipName } ?? 0)
      append(count: list.members.count)
      for member in list.members { append(member) }
    }
  }

  private mutating func appendNames(_ names: [String]) {
    append(count: names.count)
    for name in names { append(name) }
  }

  private mutating func append(_ id: ObjectID) {
    append(count: id.entity.index)
    append(signed: id.primaryKey ?? 0)
  }

  private mutating func append(_ snapshot: Snapshot) {
    append(snapshot.objectID)
    append(signed: snapshot.version)
    for (attribute, value) in zip(snapshot.objectID.entity.attributes, snapshot.attributes)
    where !attribute.isTransient {
      append(value)
    }
    for destination in snapshot.toOne {
      append(count: destination == nil ? 0 : 1)
      if let destination { append(destination) }
    }
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .null: tag(.null)
    case .integer(let number):
      tag(.integer)
      append(signed: number)
    case .boolean(let flag): tag(flag ? .true : .false)
    case .double(let number):
      tag(.double)
      append(number)
    case .decimal(let number):
      tag(.decimal)
      append(number.description)
    case .string(let text):
      tag(.string)
      append(text)
    case .date(let date):
      tag(.date)
      append(date.timeIntervalSinceReferenceDate)
    case .data(let data):
      tag(.data)
      append(data)
    case .uuid(let uuid):
      tag(.uuid)
      append(uuid)
    case .uri(let url):
      tag(.uri)
      append(url.absoluteString)
    case .composite(let elements):
      tag(.dictionary)
      append(count: elements.count)
      for (name, element) in elements.sorted(by: { $0.key.precedesByCodePoint($1.key) }) {
        append(name)
        append(element)
      }
    }
  }

  private mutating func append(_ value: PropertyListValue) {
    switch value {
    case .string(let text): append(Value.string(text))
    case .integer(let number): append(Value.integer(number))
    // The form has no tag for it, and a Decimal is exact.
    case .unsigned(let number): append(Value.decimal(Decimal(number)))
    case .real(let number): append(Value.double(number))
    case .boolean(let flag): append(Value.boolean(flag))
    case .date(let date): append(Value.date(date))
    case .data(let data): append(Value.data(data))
    case .array(let values):
      tag(.array)
      append(count: values.count)
      for value in values { append(value) }
    case .dictionary(let values):
      tag(.dictionary)
      append(count: values.count)
      for (key, value) in values.sorted(by: { $0.key.precedesByCodePoint($1.key) }) {
        append(key)
        append(value)
      }
    }
  }

  private mutating func tag(_ tag: BinaryTag) { bytes.append(tag.rawValue) }
}

/// The byte before a value that states its kind.
enum BinaryTag: UInt8 {
  case null = 0
  case integer = 1
  case `false` = 2
  case `true` = 3
  case double = 4
  case decimal = 5
  case string = 6
  case date = 7
  case data = 8
  case uuid = 9
  case uri = 10
  case array = 11
  case dictionary = 12
}

extension Relationship {
  /// Whether its members are all known from the to-one relationships that lead back, so that no list is needed.
  var isSaidByToOneSide: Bool { isToMany && !isOrdered && inverse.map { !$0.isToMany } ?? false }
}
