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
  let takesMarkers: Bool
  /// The names of columns and lists: each is compared with many.
  private let names: [String: NameInWords]

  init(candidates: [Candidate], takesMarkers: Bool) {
    self.candidates = candidates
    self.takesMarkers = takesMarkers
    var names: [String: NameInWords] = [:]
    for candidate in candidates {
      for text in [candidate.step.list.name] + candidate.decisions.map(\.column.name) where names[text] == nil {
        names[text] = NameInWords(text)
      }
    }
    self.names = names
  }

  private func words(of name: String) -> NameInWords { names[name] ?? NameInWords(name) }

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
    let name = words(of: column.name)
    for (index, target) in candidates.enumerated() {
      guard let key = target.step.entity.keyColumn, key !== column, let keyName = target.step.entity.key?.attribute,
        let keyDecision = target.decisions.first(where: { $0.column === key })?.decision,
        Self.isSameKind(keyDecision, decision)
      else { continue }
      let isOwn = target.step.entity === candidate.step.entity
      let keyWords = words(of: key.name)
      let isNamed = Self.names(name, key: keyWords, list: words(of: target.step.list.name), isOwn: isOwn)
      // A second name for each record has the same values, but leads nowhere else.
      if isOwn, column.keys.isUnique, values == key.keys.hashes { continue }
      if isOwnKey, !isOwn, !leads(column, of: candidate, ownIndex, to: key, of: target, index) { continue }
      let isText = decision.type == .string || decision.type == .uuid
      let score = score(column, name, key, keyWords, isNamed: isNamed, isText: isText)
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
    let name = words(of: column.name)
    let list = words(of: candidate.step.list.name)
    return candidates.contains { other in
      guard other.step.list !== candidate.step.list else { return false }
      return other.decisions.contains { from, fromDecision in
        let values = from.keys.hashes
        guard !from.keys.isGivenUp, from.emptyTexts == 0, values.count > 2, Self.isSameKind(decision, fromDecision),
          values.isSubset(of: column.keys.hashes)
        else { return false }
        let fromName = words(of: from.name)
        return score(from, fromName, column, name, isNamed: false, isText: true) > 0 || fromName.words == name.words
          || Self.names(fromName, key: name, list: list)
      }
    }
  }

  /// Whether a key of a list leads to that of another. A key that is named after its own list does not: `users.user_id`
  /// is what `profiles.user_id` refers to. Of two with the same values one refers to the other, or neither could be
  /// deleted.
  private func leads(
    _ column: ColumnProfile, of own: Candidate, _ ownIndex: Int, to key: ColumnProfile, of target: Candidate,
    _ index: Int
  ) -> Bool {
    if isNamedAfterList(column, own) { return false }
    return index < ownIndex || isNamedAfterList(key, target)
      || key.keys.hashes != column.keys.hashes
  }

  private func isNamedAfterList(_ key: ColumnProfile, _ candidate: Candidate) -> Bool {
    let bare = Self.withoutKeyWord(words(of: key.name).singular)
    return !bare.isEmpty && words(of: candidate.step.list.name).singular.suffix(bare.count) == bare[...]
  }

  /// How much speaks for a reference besides the values; 0: too little. Small whole numbers are found among any others.
  private func score(
    _ column: ColumnProfile, _ name: NameInWords, _ key: ColumnProfile, _ keyName: NameInWords, isNamed: Bool,
    isText: Bool
  ) -> Int {
    if isNamed { return 2 }
    return (isText || Self.isSameName(name, keyName)) && column.keys.hashes.count >= 3
      && key.keys.hashes.count >= 5 && key.longest >= 2 ? 1 : 0
  }

  /// Names of keys that do not name an entity, and names of positions in a list.
  private static let generalWords: Set<String> = [
    "id", "identifier", "uuid", "guid", "pk", "key", "code", "ref", "no", "nr", "number", "nummer", "name", "index",
    "rank", "position", "pos", "row", "line", "seq", "sequence", "order", "level", "year", "month", "week", "day",
    "hour", "version",
  ]

  private static func isSameName(_ column: NameInWords, _ key: NameInWords) -> Bool {
    !column.isMadeUp && column.words == key.words && column.words.last.map { !generalWords.contains($0) } ?? false
  }

  /// Whether values of one can be those of the other. Codes are texts of digits.
  private static func isSameKind(_ left: ColumnDecision, _ right: ColumnDecision) -> Bool {
    left.type == right.type || (left.type.isInteger || left.isCode) && (right.type.isInteger || right.isCode)
  }

  /// Whether a column's name says that it refers to a list's key: `stop_id`, `stop`, `parent_stop_id` for `stops.id`,
  /// and the key's own name where that says what it is the key of. In the list itself the name has to say more than
  /// that.
  static func names(_ column: NameInWords, key: NameInWords, list: NameInWords, isOwn: Bool = false) -> Bool {
    if column.isMadeUp || key.isMadeUp { return false }
    let (words, keyWords, owner) = (column.singular, key.singular, list.singular)
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
