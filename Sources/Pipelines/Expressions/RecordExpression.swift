public import Foundation

/// An expression over a record: what `map:` and `where:` contain.
public struct RecordExpression: Sendable, Hashable {
  /// A part of the expression's tree.
  public indirect enum Node: Sendable, Hashable {
    /// A field by path: a CSV column's name, a JSON Pointer, or a dotted path.
    case field(String)
    case constant(RecordExpressionValue)
    case call(Function, [Node])
    case unary(UnaryOperator, Node)
    case binary(BinaryOperator, Node, Node)
    /// `condition ? a : b`
    case conditional(Node, Node, Node)
  }
  /// An operator before its operand.
  public enum UnaryOperator: String, Sendable { case minus = "-", not = "!" }
  /// An operator between its operands.
  public enum BinaryOperator: String, Sendable, CaseIterable {
    case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%"
    /// Concatenation of texts.
    case concatenate = "&"
    case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case and = "&&", or = "||"
    /// The left value unless it is absent, null or empty text.
    case coalesce = "??"
  }
  /// A function by its name.
  public enum Function: String, Sendable, CaseIterable {
    case normalized, duration, date, trim, upper, lower, replace, substring, length, number, text, concat, coalesce
    case contains, split, words, first, round, uuid, lookup, file
  }
  /// The path of `.`: the value itself that fields are looked for in, such as an element of an array of texts.
  package static let elementPath = ""
  /// The text as it stands in the pipeline file.
  public var source: String
  /// The topmost part of the parsed expression.
  public var root: Node
  /// Whether it stands where only a constant may, so that it is no column even if one has its name.
  var isLiteral = false

  /// An expression from its text and tree.
  public init(source: String, root: Node) {
    self.source = source
    self.root = root
  }

  /// Every field path in the expression, in order of appearance, without repeats.
  public var fieldPaths: [String] {
    var found: [String] = []
    func visit(_ node: Node) {
      switch node {
      case .field(let path): if !found.contains(path) { found.append(path) }
      case .constant: break
      case .call(_, let arguments): arguments.forEach(visit)
      case .unary(_, let operand): visit(operand)
      case .binary(_, let left, let right):
        visit(left)
        visit(right)
      case .conditional(let condition, let yes, let no):
        visit(condition)
        visit(yes)
        visit(no)
      }
    }
    visit(root)
    return found
  }
}

/// The result of an expression.
public enum RecordExpressionValue: Sendable, Hashable {
  case absent
  case null
  case string(String)
  case integer(Int64)
  case double(Double)
  /// A number with more digits than a Double holds, at most 38.
  case decimal(Decimal)
  case boolean(Bool)
  case date(Date)
  /// The bytes of a file.
  case data(Data)
  /// The pieces of a text, for a Transformable attribute.
  case list([RecordExpressionValue])
}
