/// The words that the predicate format language reserves, and how it writes names and texts.
public enum PredicateWords {
  /// Whether a name stands for something else in a predicate, in any letter case; it is written as `#name` there.
  public static func isReserved(_ name: String) -> Bool { reserved.contains(name.uppercased()) }

  /// A key path as the language writes it: reserved words get a `#` before them.
  public static func keyPath(_ names: some Sequence<String>) -> String {
    names.map { isReserved($0) ? "#" + $0 : $0 }.joined(separator: ".")
  }

  /// A text between quotation marks, with a backslash before what would end it or break the line.
  public static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "NONE", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "SELF",
    "FIRST", "LAST", "SIZE", "BETWEEN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "TRUEPREDICATE",
    "FALSEPREDICATE", "SUBQUERY", "FETCH", "CAST", "TERNARY", "FUNCTION", "UNION", "INTERSECT", "MINUS", "ANYKEY",
  ]
}
