import Foundation
import StoreInterface

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an XML store's file, before they are compared with the model.
struct XMLStoreDocument {
  /// An `attribute` or `relationship` element.
  struct Property {
    var name: String
    var type: String
    /// An attribute's text, or the references of a relationship.
    var text: String
    var line: Int
  }

  /// An `object` element.
  struct Object {
    var type: String
    var id: String
    var version: String?
    var line: Int
    var attributes: [Property] = []
    var relationships: [Property] = []
  }

  var info = XMLElementNode(name: "databaseInfo")
  var objects: [Object] = []
}

/// An element of the part that describes the database.
struct XMLElementNode {
  var name: String
  var text = ""
  var children: [XMLElementNode] = []

  func child(_ name: String) -> XMLElementNode? { children.first { $0.name == name } }
}

/// Reads an XML store's file, and stops at the first thing that does not belong in one.
final class XMLStoreParser: NSObject, XMLParserDelegate {
  private enum Place {
    case outside, database, info, object, attribute, relationship
  }

  /// Deepest nesting of the part that describes the database.
  private static let maximumDepth = 48
  /// The parser's error for input that ends early and for input that goes on after the root element.
  private static let documentEnd = 5

  private var document = XMLStoreDocument()
  private var place = Place.outside
  private var info: [XMLElementNode] = []
  private var hasInfo = false
  private var hasEnded = false
  private var text: [UInt8] = []
  private var failure: StoreError?

  /// - Throws: `StoreError.failure` for anything but a whole, well-formed file.
  static func parse(_ file: Data) throws(StoreError) -> XMLStoreDocument {
    if let position = file.range(of: Data("<!DOCTYPE".utf8))?.lowerBound {
      // A declared entity could expand without bound.
      let declaration = file[position...].prefix { $0 != UInt8(ascii: ">") }
      if declaration.contains(UInt8(ascii: "[")) { throw .failure("the document type declares something of its own") }
    }
    // Foundation's parser traps on Linux when a name or value is no UTF-8.
    guard String(validating: file, as: UTF8.self) != nil else { throw .failure("the file is not UTF-8 text") }
    let start = String(decoding: file.prefix(200), as: UTF8.self)
    if let named = start.firstMatch(of: #/^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/#)?.1,
      named.uppercased() != "UTF-8"
    {
      throw .failure("the file says that its encoding is \(named); only UTF-8 is read")
    }
    let delegate = XMLStoreParser()
    // In pieces: given at once, more than 10 MB are refused on Linux.
    let parser = XMLParser(stream: InputStream(data: file))
    parser.shouldResolveExternalEntities = false
    parser.delegate = delegate
    let isParsed = parser.parse()
    if let failure = delegate.failure { throw failure }
    // On Linux `parse()` is true for truncated and for empty input, so the end of the root decides.
    guard isParsed, delegate.hasEnded, delegate.hasInfo else {
      throw .failure(file.isEmpty ? "the file is empty" : "the file ends too early")
    }
    return delegate.document
  }

  private func fail(_ parser: XMLParser, _ message: String) {
    if failure == nil { failure = .failure("line \(max(1, parser.lineNumber)): \(message)") }
    parser.abortParsing()
  }

  // MARK: - Events

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    text.removeAll(keepingCapacity: true)
    switch (place, name) {
    case (.outside, "database") where !hasEnded: place = .database
    case (.database, "databaseInfo") where !hasInfo:
      place = .info
      info = [XMLElementNode(name: name)]
    case (.info, _):
      if info.count > Self.maximumDepth { return fail(parser, "elements are nested too deeply") }
      info.append(XMLElementNode(name: name))
    case (.database, "object"):
      guard let type = attributes["type"], let id = attributes["id"] else {
        return fail(parser, "an object without type or id")
      }
      place = .object
      document.objects.append(
        XMLStoreDocument.Object(type: type, id: id, version: attributes["version"], line: parser.lineNumber))
    case (.object, "attribute"), (.object, "relationship"):
      guard let propertyName = attributes["name"], let type = attributes["type"] else {
        return fail(parser, "an \(name) without name or type")
      }
      var property = XMLStoreDocument.Property(name: propertyName, type: type, text: "", line: parser.lineNumber)
      let last = document.objects.count - 1
      if name == "attribute" {
        place = .attribute
        document.objects[last].attributes.append(property)
      } else {
        place = .relationship
        property.text = attributes["idrefs"] ?? ""
        document.objects[last].relationships.append(property)
      }
    default: fail(parser, "there can be no <\(name)> here")
    }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    switch place {
    case .outside: break
    case .database:
      place = .outside
      hasEnded = true
    case .info:
      guard var node = info.popLast() else { return }
      node.text = String(decoding: text, as: UTF8.self)
      text.removeAll(keepingCapacity: true)
      if info.isEmpty {
        document.info = node
        hasInfo = true
        place = .database
      } else {
        info[info.count - 1].children.append(node)
      }
    case .object: place = .database
    case .attribute:
      let last = document.objects.count - 1
      let attribute = document.objects[last].attributes.count - 1
      document.objects[last].attributes[attribute].text = String(decoding: text, as: UTF8.self)
      place = .object
    case .relationship: place = .object
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    switch place {
    case .attribute, .info: text += characters.utf8
    default:
      if !characters.allSatisfy(\.isWhitespace) { fail(parser, "there can be no text here") }
    }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    let number = (error as NSError).code
    // A document that ends early is recognised by its open root, because the parser's error for it varies.
    if number == Self.documentEnd && !hasEnded { return }
    fail(parser, "the XML is not well-formed (error \(number))")
  }
}
