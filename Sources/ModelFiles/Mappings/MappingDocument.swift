import Foundation
import PropertyLists

/// `xcmapping.xml`: the objects of Xcode's editor, an XML store of Core Data. Deleted objects stay in the file; only
/// what can be reached from the one mapping model counts.
struct MappingDocument {
  /// An object of the editor.
  struct Object {
    let type: String
    let id: String
    fileprivate(set) var attributes: [String: String] = [:]
    fileprivate(set) var relationships: [String: [String]] = [:]

    /// A text; nil where it is absent or empty.
    func text(_ name: String) -> String? {
      attributes[name].map(MappingDocument.unescaped)?.nonEmpty
    }

    /// Bytes, written in base64 with blanks anywhere.
    func data(_ name: String) throws(ArchiveError) -> [UInt8]? {
      guard let text = attributes[name] else { return nil }
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw ArchiveError("\(name) is no base64")
      }
      return [UInt8](data)
    }

    /// A whole number; nil where it is absent.
    func integer(_ name: String) throws(ArchiveError) -> Int? {
      guard let text = attributes[name] else { return nil }
      guard let number = Int(text) else { throw ArchiveError("\(name) is \(text.prefix(64)), not a whole number") }
      return number
    }
  }

  /// The mapping model itself.
  let root: Object
  private let objects: [String: Object]

  init(_ database: XMLNode) throws(ArchiveError) {
    var objects: [String: Object] = [:]
    for node in database.children where node.name == "object" {
      guard let type = node.attributes["type"], let id = node.attributes["id"] else {
        throw ArchiveError("the object in line \(node.line) has no type or no id")
      }
      var object = Object(type: type, id: id)
      for part in node.children {
        guard let name = part.attributes["name"] else { continue }
        switch part.name {
        case "attribute": object.attributes[name] = part.text
        case "relationship":
          object.relationships[name] = part.attributes["idrefs"]?.split(separator: " ").map(String.init) ?? []
        default: break
        }
      }
      guard objects.updateValue(object, forKey: id) == nil else {
        throw ArchiveError("two objects have the id \(id.prefix(64))")
      }
    }
    let roots = objects.values.filter { $0.type == "XDDEVMAPPINGMODEL" }
    guard database.name == "database", let root = roots.first, roots.count == 1 else {
      throw ArchiveError("the file has \(roots.count) mapping models, where one belongs")
    }
    self.root = root
    self.objects = objects
  }

  /// The objects that a relationship leads to, in no order that means anything.
  func objects(_ name: String, of owner: Object, type: String) throws(ArchiveError) -> [Object] {
    var found: [Object] = []
    for id in owner.relationships[name] ?? [] {
      guard let object = objects[id], object.type == type else {
        throw ArchiveError("\(name) of the object \(owner.id) leads to \(id.prefix(64)), which is no \(type)")
      }
      found.append(object)
    }
    return found
  }

  /// The text that an attribute stands for: some characters are written as `\u` with the four hexadecimal digits of the
  /// UTF-16 unit, the low byte first.
  static func unescaped(_ text: String) -> String {
    guard text.contains("\\u") else { return text }
    var units: [UInt16] = []
    var rest = text.utf16[...]
    while let unit = rest.popFirst() {
      if unit == UInt16(UInt8(ascii: "\\")), rest.first == UInt16(UInt8(ascii: "u")),
        let digits = String(rest.dropFirst().prefix(4)), digits.utf8.count == 4, let swapped = UInt16(digits, radix: 16)
      {
        units.append(swapped.byteSwapped)
        rest = rest.dropFirst(5)
      } else {
        units.append(unit)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}
