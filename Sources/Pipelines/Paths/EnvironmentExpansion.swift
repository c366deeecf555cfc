/// Text of a pipeline file with its variables put in.
package struct EnvironmentExpansion: Equatable {
  var text: String
  /// The value of the variable at the start of the text, when the environment (not a default) gave it.
  var leadingValue: String?

  struct Failure: Error {
    var message: String
    var hint: String?
  }

  /// A text in which no variables are to be replaced.
  package init(plain text: String) { self.text = text }

  /// Puts in `${NAME}` and `${NAME:default}`; `$$` is a dollar sign, and any other `$` stands for itself.
  ///
  /// A variable that is set but empty counts as set.
  init(_ written: String, environment: [String: String]) throws(Failure) {
    text = ""
    var rest = written[...]
    while let dollar = rest.firstIndex(of: "$") {
      text += rest[..<dollar]
      let after = rest.index(after: dollar)
      rest = rest[after...]
      if rest.first == "$" {
        text += "$"
        rest = rest.dropFirst()
        continue
      }
      guard rest.first == "{" else {
        text += "$"
        continue
      }
      guard let close = rest.firstIndex(of: "}") else {
        throw Failure(message: "\"${\" is not closed", hint: "write ${NAME}, ${NAME:default}, or $$ for a dollar sign")
      }
      let inside = rest[rest.index(after: rest.startIndex)..<close]
      let name = String(inside.prefix { $0 != ":" })
      guard Self.isName(name) else {
        throw Failure(
          message: "\"\(name)\" is no name of an environment variable", hint: "write ${NAME} or ${NAME:default}")
      }
      if let value = environment[name] {
        if text.isEmpty, written.first == "$" { leadingValue = value }
        text += value
      } else if inside.count > name.count {
        text += inside.dropFirst(name.count + 1)
      } else {
        throw Failure(
          message: "the environment variable \(name) is not set",
          hint: "set it, or give a default: ${\(name):value}")
      }
      rest = rest[rest.index(after: close)...]
    }
    text += rest
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }
  }
}
