/// An element of an XML document that is to be written, as Xcode writes it: attributes in the order given, four blanks
/// a level, an element without children closed in its own tag.
struct XMLElement {
  let name: String
  private(set) var attributes: [(name: String, value: String)] = []
  var children: [XMLElement] = []

  init(_ name: String, children: [XMLElement] = []) {
    self.name = name
    self.children = children
  }

  /// Adds an attribute; nil is left out.
  mutating func add(_ name: String, _ value: String?) {
    if let value { attributes.append((name, value)) }
  }

  /// Adds an attribute that is `YES`, or nothing.
  mutating func add(_ name: String, ifTrue flag: Bool) {
    if flag { add(name, "YES") }
  }

  /// The whole document with this element as its root, a line end after it.
  var document: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    append(to: &text, depth: 0)
    return text
  }

  private func append(to text: inout String, depth: Int) {
    let indent = String(repeating: "    ", count: depth)
    text += indent + "<" + name
    for attribute in attributes { text += " \(attribute.name)=\"\(Self.escaped(attribute.value))\"" }
    guard !children.isEmpty else {
      text += "/>\n"
      return
    }
    text += ">\n"
    for child in children { child.append(to: &text, depth: depth + 1) }
    text += indent + "</" + name + ">\n"
  }

  /// The first attribute, here or below, with a character that XML 1.0 does not have.
  var unwritable: (element: String, attribute: String)? {
    for attribute in attributes where !Self.canHold(attribute.value) { return (name, attribute.name) }
    return children.lazy.compactMap(\.unwritable).first
  }

  private static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: true
      case ..<0x20, 0xFFFE, 0xFFFF: false
      default: true
      }
    }
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // Unescaped, a reader would make blanks of them.
      case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
