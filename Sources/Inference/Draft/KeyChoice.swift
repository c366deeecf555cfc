import ObjectModel
import Pipelines

/// Which column of a list of records tells them apart.
enum KeyChoice {
  /// - Parameter isReferredTo: whether another list of records refers to a column's values.
  /// - Returns: the column, and why.
  static func key(
    of list: RecordList, decisions: [(column: ColumnProfile, decision: ColumnDecision)],
    isReferredTo: (ColumnProfile, ColumnDecision) -> Bool = { _, _ in false }
  ) -> (column: ColumnProfile, evidence: String)? {
    guard list.count > 0 else { return nil }
    var best: (rank: Int, column: ColumnProfile)?
    for (index, (column, decision)) in decisions.enumerated() where mayBeKey(column, decision, list) {
      guard let rank = rank(column, type: decision.type, of: list, position: index) else { continue }
      if best.map({ rank < $0.rank }) ?? true { best = (rank, column) }
    }
    let evidence = "unique in \(list.count.grouped) of \(list.count.grouped)"
    if let best {
      return (best.column, list.count == 1 ? "called as keys are; the only record does not tell more" : evidence)
    }
    guard list.count > 1, let (column, decision) = decisions.first, mayBeKey(column, decision, list),
      decision.type == .string, !isMeasure(column.name), isReferredTo(column, decision)
    else { return nil }
    return (column, evidence + ", and another file refers to it")
  }

  /// Why a list has no key, for a comment; nil where nothing tells.
  static func absence(
    in list: RecordList, decisions: [(column: ColumnProfile, decision: ColumnDecision)]
  ) -> String? {
    guard list.count > 0 else { return nil }
    guard list.count > 1 else { return "no key: one record does not tell which column is one" }
    guard let index = decisions.firstIndex(where: { mayBeKey($0.column, $0.decision, list) }) else {
      return "no key: no column is unique and never empty"
    }
    let (column, decision) = decisions[index]
    let isFewNumbers = index == 0 && decision.type.isInteger && !isMeasure(column.name)
    let isFirstText = index == 0 && !decision.type.isInteger
    return "no key: \(QuotedSample.text(of: column.name)) is unique in \(list.count.grouped) of \(list.count.grouped), "
      + (isFewNumbers
        ? "which so few numbers may be by chance"
        : isFirstText
          ? "but neither its name nor its values are those of a key, and others may have them too"
          : "but neither its name nor its place says that it stays so")
  }

  private static func mayBeKey(_ column: ColumnProfile, _ decision: ColumnDecision, _ list: RecordList) -> Bool {
    guard column.keys.isUnique, !column.keys.isGivenUp, column.nulls == 0, column.emptyTexts == 0,
      column.count == list.count, decision.lost == nil, decision.nulls.isEmpty
    else { return false }
    return decision.type.isInteger || decision.type == .string || decision.type == .uuid
  }

  // MARK: Names

  /// Whether a name is that of a key, of its own records or of others: `id`, `stop_id`, `sku`, `Artikelnummer`.
  static func isKeyName(_ name: String) -> Bool {
    guard let last = NameWords.words(name).last else { return false }
    return ColumnWords.identifiers.contains(last) || ColumnWords.keys.contains(last) || ColumnWords.isNumber(last)
  }

  /// Whether a name of one word says what it is the key of, so that a column of the same name refers to it.
  static func isTelling(_ word: String) -> Bool { ColumnWords.telling.contains(word) || ColumnWords.isNumber(word) }

  private static func isMeasure(_ name: String) -> Bool {
    !ColumnWords.measures.isDisjoint(with: NameWords.words(name))
  }

  // MARK: Ranks

  private static func rank(_ column: ColumnProfile, type: AttributeType, of list: RecordList, position: Int) -> Int? {
    let words = NameWords.words(column.name)
    let owner = NameWords.words(list.name).map(NameWords.singular)
    if let last = words.last {
      if ColumnWords.identifiers.contains(last) {
        let front = Array(words.dropLast())
        if front.isEmpty { return 0 }
        if front.map(NameWords.singular) == owner || owner.suffix(front.count) == front[...] { return 1 }
        return position == 0 || isOwn(column, type: type, of: list) ? 2 + position : nil
      }
      // The code of an answer is no key of the document that holds it.
      if list.count == 1, list.isWholeDocument, !isTelling(last) { return nil }
      // Beside "yes", "no" does not stand for "number".
      if ColumnWords.keys.contains(last), !words.contains("yes") {
        return isShared(words.dropLast(), of: list, owner: owner, position: position) ? nil : 1000 + position
      }
      if position == 0, ColumnWords.isNumber(last) { return 1000 }
    }
    // The first column is where a key stands.
    guard position == 0, list.count > 1 else { return nil }
    let isNameless = words.isEmpty || words == ["index"] || words == ["column1"]
    switch type {
    case .uuid: return 2000
    case .string:
      let isProse = words.last.map(ColumnWords.prose.contains) ?? false
      return column.keyShape.isKey && !isProse && !isMeasure(column.name) ? 2000 : nil
    default:
      // "userid" as one word of small letters.
      if column.name.lowercased().hasSuffix("id") || isNameless && words != ["column1"] { return 2000 }
      return type.isInteger && !isMeasure(column.name) && isNoCoincidence(column, count: list.count) ? 2000 : nil
    }
  }

  /// Whether a column that is called after the key of something else is that of its own list: the only one of such a
  /// name, and different in so many records that it is no coincidence.
  private static func isOwn(_ column: ColumnProfile, type: AttributeType, of list: RecordList) -> Bool {
    let count = list.fields.count { field in
      NameWords.words(field.name).last.map { ColumnWords.identifiers.contains($0) || ColumnWords.keys.contains($0) }
        ?? false
    }
    guard count == 1, list.count > 1 else { return false }
    return type.isInteger ? isNoCoincidence(column, count: list.count) : list.count >= 20 || column.keyShape.isKey
  }

  /// Whether a code or number is one of what many records may share: `phone_number`, `country_code`. It is the key in
  /// the list of such codes, as the first column, or where so many records have different ones, unless people share it.
  private static func isShared(
    _ front: ArraySlice<String>, of list: RecordList, owner: [String], position: Int
  ) -> Bool {
    guard let word = front.last, ColumnWords.shared.contains(word), owner.last != NameWords.singular(word) else {
      return false
    }
    return ColumnWords.prose.contains(word) || position > 0 && list.count < 20
  }

  /// Whether numbers are different by more than chance: among n numbers of c that are possible none would be alike with
  /// the probability exp(-n²/2c). Many are taken as they are, because few columns of numbers have no value twice.
  private static func isNoCoincidence(_ column: ColumnProfile, count: Int) -> Bool {
    let range = Double(column.greatest) - Double(column.smallest) + 1
    let count = Double(count)
    return count >= 20 || count >= 5 && range <= count || count * count >= 10 * range
  }
}
