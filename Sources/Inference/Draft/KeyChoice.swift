import ObjectModel

/// Which column of a list of records tells them apart.
enum KeyChoice {
  /// - Returns: the column, and why.
  static func key(
    of list: RecordList, decisions: [(column: ColumnProfile, decision: ColumnDecision)]
  ) -> (column: ColumnProfile, evidence: String)? {
    guard list.count > 1 else { return nil }
    var best: (rank: Int, column: ColumnProfile)?
    for (index, (column, decision)) in decisions.enumerated() {
      guard column.keys.isUnique, !column.keys.isGivenUp, column.nulls == 0, column.emptyTexts == 0,
        column.count == list.count, decision.lost == nil, isKeyType(decision.type)
      else { continue }
      guard let rank = rank(column.name, type: decision.type, of: list.name, position: index) else { continue }
      if best.map({ rank < $0.rank }) ?? true { best = (rank, column) }
    }
    return best.map { ($0.column, "unique in \(list.count.grouped) of \(list.count.grouped)") }
  }

  private static func isKeyType(_ type: AttributeType) -> Bool {
    switch type {
    case .integer16, .integer32, .integer64, .string, .uuid: true
    default: false
    }
  }

  private static func rank(_ name: String, type: AttributeType, of list: String, position: Int) -> Int? {
    let words = NameWords.words(name)
    let owner = NameWords.words(list).map(NameWords.singular)
    switch words.last {
    case "id", "identifier", "uuid", "guid", "pk":
      let front = Array(words.dropLast())
      if front.isEmpty { return 0 }
      return front.map(NameWords.singular) == owner || owner.suffix(front.count) == front[...] ? 1 : 2 + position
    case "key", "code", "slug", "isbn", "iata", "icao", "sku", "ean", "iso", "number", "no", "email", "username",
      "login":
      return 1000 + position
    default: break
    }
    // "userId" as one word of small letters, and the first column, which is where a key stands.
    if position == 0,
      name.lowercased().hasSuffix("id") || type == .string || words.isEmpty || words == ["column1"]
        || words == ["index"]
    {
      return 2000
    }
    return nil
  }
}
