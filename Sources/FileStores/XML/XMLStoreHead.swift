import Foundation
import PropertyLists
import StoreInterface

/// What an XML store's file says of the store before its objects, for which no model is needed.
struct XMLStoreHead {
  let identifier: UUID
  let metadata: [String: PropertyListValue]

  init(_ document: XMLStoreDocument) throws(StoreError) {
    guard let text = document.info.child("UUID")?.text.trimmed, let uuid = UUID(uuidString: text) else {
      throw .failure("there is no <UUID>, or it is none")
    }
    identifier = uuid
    let list = document.info.child("metadata")?.child("plist")?.children ?? []
    guard list.count == 1, case .dictionary(let metadata) = try Self.element(list[0]) else {
      throw .failure("there are no metadata")
    }
    self.metadata = metadata
  }

  private static func element(_ node: XMLElementNode) throws(StoreError) -> PropertyListValue {
    let text = node.text
    let value: PropertyListValue? =
      switch node.name {
      case "string": .string(text)
      case "integer":
        StoredText.integer(text.trimmed).map { .integer($0) } ?? UInt64(text.trimmed).map { .unsigned($0) }
      case "real": StoredText.real(text.trimmed).map { .real($0) }
      case "true": .boolean(true)
      case "false": .boolean(false)
      case "date": PropertyListDate.date(text.trimmed).map { .date($0) }
      case "data": StoredText.data(text).map { .data($0) }
      default: nil
      }
    if let value { return value }
    switch node.name {
    case "array":
      var values: [PropertyListValue] = []
      for child in node.children { values.append(try element(child)) }
      return .array(values)
    case "dict":
      var values: [String: PropertyListValue] = [:]
      guard node.children.count % 2 == 0 else { throw .failure("a key without a value in the metadata") }
      for index in stride(from: 0, to: node.children.count, by: 2) {
        guard node.children[index].name == "key" else { throw .failure("a value without a key in the metadata") }
        values[node.children[index].text] = try element(node.children[index + 1])
      }
      return .dictionary(values)
    default: throw .failure("<\(node.name)> in the metadata, which is no value or a damaged one")
    }
  }
}
