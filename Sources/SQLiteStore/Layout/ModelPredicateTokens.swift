/// Takes a predicate's text apart.
enum ModelPredicateTokens {
  enum Token: Hashable {
    /// A property, a dotted path of them, or a word of the language; `#` before it says that it is a property.
    case word(String, isEscaped: Bool)
    case number(String)
    case text(String)
    case sign(String)

    var shown: String {
      switch self {
      case .word(let text, _), .number(let text), .text(let text), .sign(let text): text
      }
    }
  }

  private static let doubleSigns: Set<String> = ["==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||"]

  static func tokens(_ text: String) throws(ModelPredicate.Refusal) -> [Token] {
    let scalars = Array(text.unicodeScalars)
    var tokens: [Token] = []
    var position = 0
    while position < scalars.count {
      let scalar = scalars[position]
      if scalar.properties.isWhitespace {
        position += 1
      } else if scalar == "\"" || scalar == "'" {
        tokens.append(.text(try quoted(scalars, &position)))
      } else if isDigit(scalar) || (scalar == "-" && position + 1 < scalars.count && isDigit(scalars[position + 1])) {
        tokens.append(.number(try number(scalars, &position)))
      } else if isWordPart(scalar) || scalar == "#" {
        tokens.append(try word(scalars, &position))
      } else {
        let pair = String(String.UnicodeScalarView(scalars[position..<min(position + 2, scalars.count)]))
        let sign = doubleSigns.contains(pair) ? pair : String(scalar)
        tokens.append(.sign(sign))
        position += sign.unicodeScalars.count
      }
    }
    return tokens
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || scalar.properties.canonicalCombiningClass != .notReordered
  }

  /// `name`, `address.street`, `#first`, `customer.#order`.
  private static func word(
    _ scalars: [Unicode.Scalar], _ position: inout Int
  ) throws(ModelPredicate.Refusal) -> Token {
    var text = String.UnicodeScalarView()
    var isEscaped = false
    while position < scalars.count {
      let scalar = scalars[position]
      if scalar == "#" {
        isEscaped = true
      } else if isWordPart(scalar) || scalar == "." {
        text.append(scalar)
      } else {
        break
      }
      position += 1
    }
    if text.isEmpty { throw ModelPredicate.Refusal(message: "\"#\" stands before no name") }
    return .word(String(text), isEscaped: isEscaped)
  }

  private static func number(
    _ scalars: [Unicode.Scalar], _ position: inout Int
  ) throws(ModelPredicate.Refusal) -> String {
    var text = String.UnicodeScalarView()
    while position < scalars.count {
      let scalar = scalars[position]
      let isSignOfExponent = (scalar == "-" || scalar == "+") && (text.last == "e" || text.last == "E")
      let isFirstMinus = scalar == "-" && text.isEmpty
      guard isDigit(scalar) || scalar == "." || scalar == "e" || scalar == "E" || isSignOfExponent || isFirstMinus
      else { break }
      text.append(scalar)
      position += 1
    }
    let number = String(text)
    guard Double(number)?.isFinite == true else { throw ModelPredicate.Refusal(message: "\(number) is no number") }
    return number
  }

  private static func quoted(
    _ scalars: [Unicode.Scalar], _ position: inout Int
  ) throws(ModelPredicate.Refusal) -> String {
    let quote = scalars[position]
    var text = String.UnicodeScalarView()
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      if scalar == quote { return String(text) }
      if scalar == "\0" { throw ModelPredicate.Refusal(message: "a NUL cannot stand in a schema") }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard position < scalars.count else { break }
      switch scalars[position] {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "\"", "'", "\\": text.append(scalars[position])
      default: throw ModelPredicate.Refusal(message: "the escape \\\(scalars[position]) is not known")
      }
      position += 1
    }
    throw ModelPredicate.Refusal(message: "a quoted text does not end")
  }
}
