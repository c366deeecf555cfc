import Foundation
import ObjectModel

#if canImport(FoundationXML)
  import FoundationXML
#endif

extension XMLNode {
  /// Parses a whole document into its root element.
  /// - Parameter allowsDocumentType: whether a document type may be named, which is never looked up. Entities cannot be
  ///   declared in any case.
  /// - Throws: `ModelError` for XML that is not well-formed or ends early, that declares a document type (a model has
  ///   none, and its entities could expand without bound) or that is nested too deeply.
  static func parse(_ bytes: Data, path: String, allowsDocumentType: Bool = false) throws(ModelError) -> XMLNode {
    if bytes.starts(with: Array("bplist".utf8)) {
      throw ModelError(
        .unsupportedFormat, file: path, "this is a binary property list, not the XML of a model",
        hint: "open the model in a newer Xcode and save it, which writes the XML format")
    }
    if let position = bytes.range(of: Data("<!DOCTYPE".utf8))?.lowerBound,
      !(allowsDocumentType && hasNoDeclarations(bytes[position...]))
    {
      let line = bytes[..<position].count(where: { $0 == UInt8(ascii: "\n") }) + 1
      throw ModelError(
        .malformedXML, file: path, line: line, XMLNodeParser.documentTypeMessage, hint: XMLNodeParser.documentTypeHint)
    }
    // Foundation's parser traps on Linux when a name or value is no UTF-8.
    guard String(validating: bytes, as: UTF8.self) != nil else {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
      throw ModelError(
        .malformedXML, file: path, line: line + 1, "the file is not UTF-8 text",
        hint: "save the file as UTF-8, or restore it from a whole copy")
    }
    let delegate = XMLNodeParser()
    let parser = XMLParser(data: bytes)
    parser.shouldResolveExternalEntities = false
    parser.delegate = delegate
    let isParsed = parser.parse()
    if let failure = delegate.failure {
      throw ModelError(.malformedXML, file: path, line: failure.line, failure.message, hint: failure.hint)
    }
    // On Linux `parse()` is true for truncated and for empty input, so the end of the root decides.
    guard isParsed, let root = delegate.root, root.hasEnded else {
      let lines = bytes.count(where: { $0 == UInt8(ascii: "\n") }) + 1
      let open = delegate.openElementName.map { " inside <\($0)>" } ?? ""
      throw ModelError(
        .malformedXML, file: path, line: lines, bytes.isEmpty ? "the file is empty" : "the file ends too early\(open)",
        hint: "restore the file from a whole copy")
    }
    return root.node
  }

  /// Whether a document type declaration, the only one, ends without an internal part, where entities would be
  /// declared.
  private static func hasNoDeclarations(_ declaration: Data) -> Bool {
    let end = declaration.firstIndex(of: UInt8(ascii: ">")) ?? declaration.endIndex
    // A quoted ">" may end the search too early, before an internal part.
    return !declaration[..<end].contains(UInt8(ascii: "[")) && declaration.range(of: Data("<!ENTITY".utf8)) == nil
      && declaration[end...].range(of: Data("<!DOCTYPE".utf8)) == nil
  }
}

/// Builds the tree from the parser's events and stops at the first thing that no model has.
private final class XMLNodeParser: NSObject, XMLParserDelegate {
  struct Failure {
    var line: Int
    var message: String
    var hint: String
  }

  static let maximumDepth = 64
  static let documentTypeMessage = "the file declares a document type, which a model never does"
  static let documentTypeHint = "remove the <!DOCTYPE> declaration"

  private(set) var failure: Failure?
  private(set) var root: (node: XMLNode, hasEnded: Bool)?
  private var stack: [XMLNode] = []

  var openElementName: String? { stack.last?.name }

  private func fail(_ parser: XMLParser, _ message: String, hint: String) {
    if failure == nil { failure = Failure(line: max(1, parser.lineNumber), message: message, hint: hint) }
    parser.abortParsing()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard stack.count < Self.maximumDepth else {
      fail(
        parser, "elements are nested more than \(Self.maximumDepth) deep", hint: "check that this is a model file")
      return
    }
    stack.append(XMLNode(name: name, attributes: attributes, line: parser.lineNumber))
    if root == nil { root = (XMLNode(name: name, attributes: [:], line: parser.lineNumber), false) }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard let node = stack.popLast() else { return }
    if stack.isEmpty {
      root = (node, true)
    } else {
      stack[stack.count - 1].children.append(node)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    guard let last = stack.indices.last, stack[last].hasText || !text.allSatisfy(\.isWhitespace) else { return }
    stack[last].text += text
  }

  func parser(_ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?) {
    fail(parser, Self.documentTypeMessage, hint: Self.documentTypeHint)
  }

  func parser(
    _ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?, systemID: String?
  ) {
    fail(parser, Self.documentTypeMessage, hint: Self.documentTypeHint)
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    let number = (error as NSError).code
    // A document that ends early is recognised by its open root, because the parser's error for it varies.
    let endsEarly = number == XMLErrorText.documentEnd && root?.hasEnded != true
    if failure == nil, !endsEarly {
      failure = Failure(
        line: max(1, parser.lineNumber), message: "the XML is not well-formed (\(XMLErrorText.text(number)))",
        hint: "correct the XML at this line, or restore the file")
    }
  }
}

/// What the parser's error numbers mean; the number itself for the rare ones.
private enum XMLErrorText {
  /// Raised for input that ends early and for input that goes on after the root element.
  static let documentEnd = 5

  static func text(_ number: Int) -> String {
    switch number {
    case documentEnd: "something follows the root element"
    case 9: "a character that XML does not allow, or text that is not UTF-8"
    case 26: "an entity that is not defined"
    case 38, 39: "an attribute value is not in quotes or contains <"
    case 40, 41: "an attribute has no quoted value"
    case 42: "an attribute stands twice in a tag"
    case 65: "a blank is missing"
    case 68: "a name is missing"
    case 73: "a tag has no >"
    case 76: "an end tag does not match its start tag"
    case 77: "a tag is not closed"
    case 4, 100: "no start tag was found"
    default: "error \(number)"
    }
  }
}
