import ObjectModel
import Pipelines

/// Finds columns whose values are the keys of another list of records, or of the same.
struct ReferenceSearch {
  /// A list of records, its entity, and the types of its columns.
  struct Candidate {
    let step: StepDraft
    let decisions: [(column: ColumnProfile, decision: ColumnDecision)]
  }

  struct Found {
    let target: EntityDraft
    let evidence: String
    /// Texts of the column that mean null.
    var nulls: [String] = []
  }

  let candidates: [Candidate]
  /// Whether a text that programs write where there is no value may mean null.
  var takesMarkers = true

  /// The entity and key that a column refers to; nil when there is none. Where its name says so and a few values do
  /// not, `near` says which.
  func reference(
    of column: ColumnProfile, _ decision: ColumnDecision, in candidate: Candidate
  ) -> (found: Found?, near: String?) {
    guard !column.keys.isGivenUp, column.values > 0, decision.lost == nil else { return (nil, nil) }
    // A run takes an empty text for no value where numbers are meant, and looks for it among keys that are texts.
    if column.emptyTexts > 0, !decision.type.isInteger { return (nil, nil) }
    var values = column.keys.hashes.subtracting(column.emptyTexts > 0 ? [ColumnHashes.ofEmptyText] : [])
    if !decision.nulls.isEmpty { values.subtract(column.markerHashes) }
    var best: (score: Int, found: Found)?
    var near: String?
    let isOwnKey = candidate.step.entity.keyColumn === column
    let ownIndex = candidates.firstIndex { $0.step.entity === candidate.step.entity } ?? 0
    for (index, target) in candidates.enumerated() {
      guard let key = target.step.entity.keyColumn, key !== column, let keyName = target.step.entity.key?.attribute,
        let keyDecision = target.decisions.first(where: { $0.column === key })?.decision,
        Self.isSameKind(keyDecision, decision)
      else { continue }
      let isOwn = target.step.entity === candidate.step.entity
      let isNamed = Self.names(column.name, key: key.name, list: target.step.list.name, isOwn: isOwn)
      // A second name for each record has the same values, but leads nowhere else.
      if isOwn, column.keys.isUnique, values == key.keys.hashes { continue }
      if isOwnKey, !isOwn, !Self.leads(column, of: candidate, ownIndex, to: key, of: target, index) { continue }
      let score = score(column, key, isNamed: isNamed, isText: decision.type == .string || decision.type == .uuid)
      guard score > 0 else { continue }
      var missing = values.count { !key.keys.hashes.contains($0) }
      var nulls = decision.nulls
      if missing > 0, missing == column.markers.count, nulls.isEmpty, takesMarkers, values.count > missing,
        values.subtracting(column.markerHashes).isSubset(of: key.keys.hashes)
      {
        (missing, nulls) = (0, column.markerTexts)
      }
      guard missing == 0 else {
        if isNamed, missing * 2 < values.count {
          near =
            "\(missing.grouped) of \(values.count.grouped) different values are no \(target.step.entity.name).\(keyName), so it is no relationship"
        }
        continue
      }
      let count = values.count - (decision.nulls.isEmpty ? nulls.count : 0)
      let evidence = "all \(count.grouped) different values are found in \(key.name) of \(target.step.list.title)"
      if best.map({ score > $0.score }) ?? true {
        best = (score, Found(target: target.step.entity, evidence: evidence, nulls: nulls))
      }
    }
    return (best?.found, best == nil ? near : nil)
  }

  /// Whether a column of another list has values of this one alone, so that this one tells records apart. Its name
  /// has to say so, or the values have to be too many for chance.
  func isReferredTo(_ column: ColumnProfile, _ decision: ColumnDecision, of candidate: Candidate) -> Bool {
    candidates.contains { other in
      guard other.step.list !== candidate.step.list else { return false }
      return other.decisions.contains { from, fromDecision in
        let values = from.keys.hashes
        guard !from.keys.isGivenUp, from.emptyTexts == 0, values.count > 2, Self.isSameKind(decision, fromDecision),
          values.isSubset(of: column.keys.hashes)
        else { return false }
        return score(from, column, isNamed: false, isText: true) > 0
          || NameWords.words(from.name) == NameWords.words(column.name)
          || Self.names(from.name, key: column.name, list: candidate.step.list.name)
      }
    }
  }

  /// Whether a key of a list leads to that of another. A key that is named after its own list does not: `users.user_id`
  /// is what `profiles.user_id` refers to. Of two with the same values one refers to the other, or neither could be
  /// deleted.
  private static func leads(
    _ column: ColumnProfile, of own: Candidate, _ ownIndex: Int, to key: ColumnProfile, of target: Candidate,
    _ index: Int
  ) -> Bool {
    if isNamedAfterList(column.name, own.step.list.name) { return false }
    return index < ownIndex || isNamedAfterList(key.name, target.step.list.name)
      || key.keys.hashes != column.keys.hashes
  }

  private static func isNamedAfterList(_ key: String, _ list: String) -> Bool {
    let bare = withoutKeyWord(NameWords.words(key).map(NameWords.singular))
    return !bare.isEmpty && NameWords.words(list).map(NameWords.singular).suffix(bare.count) == bare[...]
  }

  /// How much speaks for a reference besides the values; 0: too little. Small whole numbers are found among any others.
  private func score(_ column: ColumnProfile, _ key: ColumnProfile, isNamed: Bool, isText: Bool) -> Int {
    if isNamed { return 2 }
    return (isText || Self.isSameName(column.name, key.name)) && column.keys.hashes.count >= 3
      && key.keys.hashes.count >= 5 && key.longest >= 2 ? 1 : 0
  }

  /// Names of keys that do not name an entity, and names of positions in a list.
  private static let generalWords: Set<String> = [
    "id", "identifier", "uuid", "guid", "pk", "key", "code", "ref", "no", "nr", "number", "nummer", "name", "index",
    "rank", "position", "pos", "row", "line", "seq", "sequence", "order", "level", "year", "month", "week", "day",
    "hour", "version",
  ]

  private static func isSameName(_ column: String, _ key: String) -> Bool {
    let words = NameWords.words(column)
    return !isMadeUp(column) && words == NameWords.words(key) && words.last.map { !generalWords.contains($0) } ?? false
  }

  /// Whether values of one can be those of the other. Codes are texts of digits.
  private static func isSameKind(_ left: ColumnDecision, _ right: ColumnDecision) -> Bool {
    left.type == right.type || (left.type.isInteger || left.isCode) && (right.type.isInteger || right.isCode)
  }

  /// Whether a column's name says that it refers to a list's key: `stop_id`, `stop`, `parent_stop_id` for `stops.id`,
  /// and the key's own name where that says what it is the key of. In the list itself the name has to say more than
  /// that.
  static func names(_ column: String, key: String, list: String, isOwn: Bool = false) -> Bool {
    // Names that were made for columns without one say nothing.
    if isMadeUp(column) || isMadeUp(key) { return false }
    let words = NameWords.words(column).map(NameWords.singular)
    let keyWords = NameWords.words(key).map(NameWords.singular)
    let owner = NameWords.words(list).map(NameWords.singular)
    if words == keyWords { return keyWords.count > 1 || !isOwn && keyWords.allSatisfy(KeyChoice.isTelling) }
    let bare = withoutKeyWord(words)
    guard !bare.isEmpty, !owner.isEmpty else { return false }
    if bare.suffix(owner.count) == owner[...], !isOwn || bare.count > owner.count { return true }
    let keyOwner = withoutKeyWord(keyWords)
    if !keyOwner.isEmpty, bare.suffix(keyOwner.count) == keyOwner[...], bare.count > keyOwner.count || words != bare {
      return true
    }
    // A record of the same kind above this one.
    return ["parent", "superior", "manager", "supervisor", "boss", "previous", "next", "original", "reply"].contains(
      bare[0]) && words.count > 1
      && words.last == keyWords.last
      && keyWords.count == 1
  }

  private static func isMadeUp(_ name: String) -> Bool {
    name.hasPrefix("column") && name.count > 6 && name.dropFirst(6).allSatisfy(\.isNumber)
  }

  private static func withoutKeyWord(_ words: [String]) -> [String] {
    guard let last = words.last,
      ["id", "identifier", "uuid", "guid", "key", "code", "ref", "fk", "no", "number"].contains(last)
    else { return words }
    return Array(words.dropLast())
  }

  /// The name of a relationship after its column: `stop` for `stop_id`, and the target's where the column has the name
  /// of a key: `book` for `isbn`.
  static func relationshipName(_ column: String, target: String) -> String {
    let words = withoutKeyWord(NameWords.words(column))
    let isKey = words.count == 1 && words.allSatisfy(KeyChoice.isTelling) && !target.isEmpty
    return words.isEmpty || isKey ? target : words.joined(separator: "_")
  }
}
