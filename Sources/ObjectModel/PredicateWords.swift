/// The words that the predicate format language keeps for itself.
public enum PredicateWords {
  /// Whether a name stands for something else in a predicate, in any letter case; it is written as `#name` there.
  public static func isReserved(_ name: String) -> Bool { reserved.contains(name.uppercased()) }

  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "NONE", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "SELF",
    "FIRST", "LAST", "SIZE", "BETWEEN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "TRUEPREDICATE",
    "FALSEPREDICATE", "SUBQUERY", "FETCH", "CAST", "TERNARY", "FUNCTION", "UNION", "INTERSECT", "MINUS", "ANYKEY",
  ]
}
