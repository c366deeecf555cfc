import Foundation
import ObjectModel

/// A small property list, binary or XML, such as the ones that stand beside models.
///
/// Foundation's own reader follows nesting without a limit and so crashes on hostile files; here nesting and the number
/// of values are bounded.
enum SmallPropertyList {
  case string(String)
  case data(Data)
  case dictionary([String: SmallPropertyList])
  /// A file without a value: no text at all, or no element inside `plist`.
  case nothing
  /// Any other kind of value.
  case other

  static let maximumByteCount = 16 << 20
  static let maximumDepth = 8
  static let maximumValueCount = 1 << 20

  /// The file's value; nil when the file is no property list.
  /// - Throws: `ModelError` when the file cannot be read or is too large.
  static func read(_ path: String) throws(ModelError) -> SmallPropertyList? {
    let bytes = try ModelFileSystem.readFile(path, limit: maximumByteCount)
    if bytes.allSatisfy({ [9, 10, 13, 32].contains($0) }) { return .nothing }
    if bytes.starts(with: "bplist".utf8) {
      guard let table = try? PropertyListTable([UInt8](bytes)) else { return nil }
      var valuesLeft = maximumValueCount
      return value(table.root, in: table, depth: 0, &valuesLeft)
    }
    guard let root = try? XMLNode.parse(bytes, path: path, allowsDocumentType: true), root.name == "plist",
      root.children.count <= 1
    else { return nil }
    guard root.children.count == 1 else { return .nothing }
    return value(root.children[0], depth: 0)
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var data: Data? { if case .data(let bytes) = self { bytes } else { nil } }
  var dictionary: [String: SmallPropertyList]? { if case .dictionary(let entries) = self { entries } else { nil } }

  private static func value(
    _ number: Int, in table: PropertyListTable, depth: Int, _ valuesLeft: inout Int
  ) -> SmallPropertyList? {
    valuesLeft -= 1
    guard depth < maximumDepth, valuesLeft >= 0 else { return nil }
    switch table.objects[number] {
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(Data(bytes))
    case .dictionary(let keys, let values):
      var entries: [String: SmallPropertyList] = [:]
      for (key, entry) in zip(keys, values) {
        guard case .string(let name) = table.objects[key], entries[name] == nil,
          let value = value(entry, in: table, depth: depth + 1, &valuesLeft)
        else { return nil }
        entries[name] = value
      }
      return .dictionary(entries)
    default: return .other
    }
  }

  private static func value(_ node: XMLNode, depth: Int) -> SmallPropertyList? {
    guard depth < maximumDepth else { return nil }
    switch node.name {
    case "string": return .string(node.text)
    case "data":
      let packed = node.text.filter { !$0.isWhitespace }
      return Data(base64Encoded: packed).map(SmallPropertyList.data)
    case "dict":
      guard node.children.count.isMultiple(of: 2) else { return nil }
      var entries: [String: SmallPropertyList] = [:]
      for index in stride(from: 0, to: node.children.count, by: 2) {
        guard node.children[index].name == "key", entries[node.children[index].text] == nil,
          let value = value(node.children[index + 1], depth: depth + 1)
        else { return nil }
        entries[node.children[index].text] = value
      }
      return .dictionary(entries)
    default: return .other
    }
  }
}
