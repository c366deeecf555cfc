internal import Yams

/// A YAML scalar by the core schema of YAML 1.2: `no` and `on` are text, unlike in YAML 1.1.
enum ScalarValue: Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  /// Digits that no number type holds, or an infinity or NaN.
  case unusableNumber
  case text(String)

  init(_ scalar: Node.Scalar) {
    self.init(scalar.string, style: scalar.style)
  }

  /// Takes no `Node.Scalar`, as making one makes Yams' resolver, whose patterns take a millisecond to compile.
  init(_ text: String, style: Node.Scalar.Style) {
    guard style == .plain || style == .any else {
      self = .text(text)
      return
    }
    switch text {
    case "", "~", "null", "Null", "NULL": self = .null
    case "true", "True", "TRUE": self = .boolean(true)
    case "false", "False", "FALSE": self = .boolean(false)
    case ".inf", ".Inf", ".INF", "+.inf", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN": self = .unusableNumber
    default:
      switch ParsedNumber.read(text) {
      case .integer(let integer): self = .integer(integer)
      case .double(let double): self = .double(double)
      case .outOfRange: self = .unusableNumber
      case .notANumber: self = .text(text)
      }
    }
  }

  var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer, .double, .unusableNumber: "a number"
    case .text: "text"
    }
  }
}

extension Node {
  /// What kind of node it is, for messages.
  var kindName: String {
    switch self {
    case .scalar(let scalar): ScalarValue(scalar).kindName
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}
