import Foundation
import MemoryStore
import ObjectModel
import PropertyLists
import StoreInterface

/// The text of an XML store's file.
struct XMLStoreWriter {
  private(set) var bytes = Data()
  /// The longest attribute value of an element that XML parsers take, with some room.
  private static let maximumListByteCount = 9_000_000

  mutating func append(_ contents: StoreContents) throws(StoreError) {
    var taken: [Int64: Entity] = [:]
    for snapshot in contents.snapshots {
      let key = snapshot.objectID.primaryKey ?? 0
      if let other = taken.updateValue(snapshot.objectID.entity, forKey: key) {
        throw .failure(
          "objects of \(other.name) and \(snapshot.objectID.entity.name) have the same key \(key), "
            + "which must be unique in an XML store")
      }
    }
    line("<?xml version=\"1.0\"?>")
    line("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">")
    line("")
    line("<database>")
    line("    <databaseInfo>")
    line("        <version>\(XMLStoreFormat.version)</version>")
    line("        <UUID>\(contents.identifier.uuidString)</UUID>")
    line("        <nextObjectID>\(contents.nextPrimaryKeys.values.max() ?? 1)</nextObjectID>")
    line("        <metadata>")
    line("            <plist version=\"1.0\">")
    try append(.dictionary(contents.metadata), indent: 16)
    line("            </plist>")
    line("        </metadata>")
    line("    </databaseInfo>")
    var lists: [ObjectID: [String: [ObjectID]]] = [:]
    for list in contents.toMany { lists[list.owner, default: [:]][list.relationshipName] = list.members }
    for snapshot in contents.snapshots { try append(snapshot, lists[snapshot.objectID] ?? [:]) }
    line("</database>")
  }

  // MARK: - Objects

  private mutating func append(_ snapshot: Snapshot, _ lists: [String: [ObjectID]]) throws(StoreError) {
    let entity = snapshot.objectID.entity
    let version = snapshot.version == 1 ? "" : " version=\"\(snapshot.version)\""
    line("    <object type=\"\(entity.name.uppercased())\" id=\"\(name(snapshot.objectID))\"\(version)>")
    for (attribute, value) in zip(entity.attributes, snapshot.attributes) where !attribute.isTransient {
      for leaf in StoredAttribute.leaves(of: attribute) {
        try append(leaf, value.element(at: leaf.names.dropFirst()), of: entity)
      }
    }
    for (relationship, destination) in zip(entity.relationships, snapshot.toOne) {
      let members = relationship.isToMany ? lists[relationship.name] ?? [] : destination.map { [$0] } ?? []
      let references = members.map { name($0) }.joined(separator: " ")
      guard references.utf8.count <= Self.maximumListByteCount else {
        throw .failure("\(entity.name).\(relationship.name) has too many members for an XML store")
      }
      let rules = relationship.definition
      let least = rules.isMandatory ? max(rules.minimumCount, 1) : 0
      let most = relationship.isToMany ? max(rules.maximumCount, 0) : 1
      append("        <relationship name=\"\(relationship.name)\" type=\"\(least)/\(most)\"")
      append(" destination=\"\(relationship.destination.name.uppercased())\"")
      line(references.isEmpty ? "></relationship>" : " idrefs=\"\(references)\"></relationship>")
    }
    line("    </object>")
  }

  /// Elements of composites stand by themselves, each by its dotted path.
  private mutating func append(_ leaf: StoredAttribute, _ value: Value, of entity: Entity) throws(StoreError) {
    let type = leaf.attribute.type.holdsAnyValue ? AttributeType(formOf: value) : leaf.attribute.type
    guard value != .null, let type else { return }
    append("        <attribute name=\"\(leaf.path)\" type=\"\(type.xmlName)\">")
    try append(escaping: text(value), "\(entity.name).\(leaf.path)")
    line("</attribute>")
  }

  private func name(_ id: ObjectID) -> String { "z\(id.primaryKey ?? 0)" }

  private func text(_ value: Value) -> String {
    switch value {
    case .boolean(let flag): flag ? "1" : "0"
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    default: value.plainText
    }
  }

  // MARK: - Metadata

  private mutating func append(_ value: PropertyListValue, indent: Int) throws(StoreError) {
    let blanks = String(repeating: " ", count: indent)
    switch value {
    case .string(let text): try element("string", text, blanks)
    case .integer(let number): try element("integer", "\(number)", blanks)
    case .unsigned(let number): try element("integer", "\(number)", blanks)
    case .real(let number): try element("real", "\(number)", blanks)
    case .boolean(let flag): line("\(blanks)<\(flag)/>")
    case .date(let date): try element("date", PropertyListDate.text(date), blanks)
    case .data(let data): try element("data", data.base64EncodedString(), blanks)
    case .array(let values):
      line("\(blanks)<array>")
      for value in values { try append(value, indent: indent + 4) }
      line("\(blanks)</array>")
    case .dictionary(let values):
      line("\(blanks)<dict>")
      for (key, value) in values.sorted(by: { $0.key.precedesByCodePoint($1.key) }) {
        try element("key", key, blanks + "    ")
        try append(value, indent: indent + 4)
      }
      line("\(blanks)</dict>")
    }
  }

  private mutating func element(_ name: String, _ text: String, _ blanks: String) throws(StoreError) {
    append("\(blanks)<\(name)>")
    try append(escaping: text, "the metadata")
    line("</\(name)>")
  }

  // MARK: - Text

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func line(_ text: String) {
    append(text)
    bytes.append(0x0A)
  }

  /// Parsers turn a carriage return into a line feed, and take no control characters, escaped or not.
  private mutating func append(escaping text: String, _ place: String) throws(StoreError) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\r": append("&#13;")
      case "\t", "\n": append(String(scalar))
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
        throw .failure("\(place): XML has no way to write the character U+\(String(scalar.value, radix: 16))")
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
