import ObjectModel
import Pipelines

/// Which column of a list of records tells them apart.
enum KeyChoice {
  /// - Returns: the column, and why.
  static func key(
    of list: RecordList, decisions: [(column: ColumnProfile, decision: ColumnDecision)]
  ) -> (column: ColumnProfile, evidence: String)? {
    guard list.count > 1 else { return nil }
    var best: (rank: Int, column: ColumnProfile)?
    for (index, (column, decision)) in decisions.enumerated() where mayBeKey(column, decision, list) {
      guard let rank = rank(column, type: decision.type, of: list, position: index) else { continue }
      if best.map({ rank < $0.rank }) ?? true { best = (rank, column) }
    }
    return best.map { ($0.column, "unique in \(list.count.grouped) of \(list.count.grouped)") }
  }

  /// Why a list has no key, for a comment; nil where one record tells nothing.
  static func absence(
    in list: RecordList, decisions: [(column: ColumnProfile, decision: ColumnDecision)]
  ) -> String? {
    guard list.count > 1 else { return nil }
    guard let index = decisions.firstIndex(where: { mayBeKey($0.column, $0.decision, list) }) else {
      return "no key: no column is unique and never empty"
    }
    let column = decisions[index].column
    let isFewNumbers = index == 0 && isWhole(decisions[0].decision.type) && !isMeasure(column.name)
    return "no key: \(QuotedSample.text(of: column.name)) is unique in \(list.count.grouped) of \(list.count.grouped), "
      + (isFewNumbers
        ? "which so few numbers may be by chance" : "but neither its name nor its place says that it stays so")
  }

  private static func mayBeKey(_ column: ColumnProfile, _ decision: ColumnDecision, _ list: RecordList) -> Bool {
    guard column.keys.isUnique, !column.keys.isGivenUp, column.nulls == 0, column.emptyTexts == 0,
      column.count == list.count, decision.lost == nil
    else { return false }
    return isWhole(decision.type) || decision.type == .string || decision.type == .uuid
  }

  private static func isWhole(_ type: AttributeType) -> Bool { [.integer16, .integer32, .integer64].contains(type) }

  // MARK: Names

  private static let identifierWords: Set<String> = ["id", "identifier", "uuid", "guid", "pk"]

  /// Words that say what a value is the key of.
  private static let tellingWords: Set<String> = [
    "isbn", "iata", "icao", "sku", "ean", "gtin", "upc", "asin", "barcode", "email", "username", "login",
  ]

  private static let keyWords: Set<String> = tellingWords.union([
    "key", "code", "slug", "iso", "number", "no", "nr", "nummer", "numero", "codigo",
  ])

  /// Names of sizes, times and counts: they differ without being names of anything.
  private static let measureWords: Set<String> = [
    "time", "timestamp", "ts", "date", "epoch", "quantity", "qty", "count", "amount", "price", "cost", "total", "value",
    "lat", "latitude", "lon", "lng", "longitude", "temperature", "x", "y", "z", "score", "rating", "age", "size",
    "width", "height", "length", "weight", "population", "distance", "duration", "speed", "percent", "salary",
    "revenue",
  ]

  /// Whether a name is that of a key, of its own records or of others: `id`, `stop_id`, `sku`, `Artikelnummer`.
  static func isKeyName(_ name: String) -> Bool {
    guard let last = NameWords.words(name).last else { return false }
    return identifierWords.contains(last) || keyWords.contains(last) || isNumberWord(last)
  }

  /// Whether a name of one word says what it is the key of, so that a column of the same name refers to it.
  static func isTelling(_ word: String) -> Bool { tellingWords.contains(word) || isNumberWord(word) }

  /// `artikelnummer`, which is one word in German and others.
  private static func isNumberWord(_ word: String) -> Bool { word.count > 6 && word.hasSuffix("nummer") }

  private static func isMeasure(_ name: String) -> Bool { !measureWords.isDisjoint(with: NameWords.words(name)) }

  // MARK: Ranks

  private static func rank(_ column: ColumnProfile, type: AttributeType, of list: RecordList, position: Int) -> Int? {
    let words = NameWords.words(column.name)
    let owner = NameWords.words(list.name).map(NameWords.singular)
    if let last = words.last {
      if identifierWords.contains(last) {
        let front = Array(words.dropLast())
        if front.isEmpty { return 0 }
        return front.map(NameWords.singular) == owner || owner.suffix(front.count) == front[...] ? 1 : 2 + position
      }
      if keyWords.contains(last) || position == 0 && isNumberWord(last) { return 1000 + position }
    }
    // "userId" as one word of small letters, and the first column, which is where a key stands.
    guard position == 0 else { return nil }
    if column.name.lowercased().hasSuffix("id") || type == .string || words.isEmpty || words == ["column1"]
      || words == ["index"]
    {
      return 2000
    }
    return isWhole(type) && !isMeasure(column.name) && isNoCoincidence(column, count: list.count) ? 2000 : nil
  }

  /// Whether numbers are different by more than chance: among n numbers of c that are possible none would be alike with
  /// the probability exp(-n²/2c). Many are taken as they are, because few columns of numbers have no value twice.
  private static func isNoCoincidence(_ column: ColumnProfile, count: Int) -> Bool {
    let range = Double(column.greatest) - Double(column.smallest) + 1
    let count = Double(count)
    return count >= 20 || count >= 5 && range <= count || count * count >= 10 * range
  }
}
