import SeedFormats

/// How alike the name of a field and the name of a property are.
enum NameSimilarity {
  /// From here on a field is taken for the property; below, it is proposed in a comment.
  static let enough = 70

  private static let synonyms = [
    "identifier": "id", "uuid": "id", "guid": "id", "lat": "latitude", "lon": "longitude", "lng": "longitude",
    "long": "longitude", "num": "number", "no": "number", "nr": "number", "qty": "quantity", "tel": "phone",
    "telephone": "phone", "img": "image", "picture": "image", "photo": "image", "zip": "postcode",
    "zipcode": "postcode", "uri": "url", "link": "url", "desc": "summary", "descr": "summary", "description": "summary",
    "details": "summary", "amt": "amount", "addr": "address", "dob": "birthday", "title": "name", "kind": "type",
  ]

  /// From 0 to 100.
  /// - Parameters:
  ///   - owner: the words of the entity's name, which may stand in front of either.
  ///   - takesSynonyms: whether other words for the same count.
  static func score(_ field: String, _ property: String, owner: [String], takesSynonyms: Bool = true) -> Int {
    let left = words(field)
    let right = words(property)
    guard !left.isEmpty, !right.isEmpty else { return 0 }
    if left == right { return 100 }
    let short = without(owner, left)
    let own = without(owner, right)
    if short == right || left == own { return 95 }
    if left.joined() == right.joined() { return 92 }
    if short.joined() == own.joined() { return 90 }
    let known = takesSynonyms ? left.map { synonyms[$0] ?? $0 } : left
    let other = takesSynonyms ? right.map { synonyms[$0] ?? $0 } : right
    if known == other || without(owner, known) == without(owner, other) { return 85 }
    if let last = short.last, short.count > 1, ["id", "code", "key"].contains(last), Array(short.dropLast()) == own {
      return 80
    }
    if isMisspelt(short.joined(), own.joined()) { return 75 }
    if short.last == own.last || short.first == own.first && short.count + own.count > 2 { return 40 }
    return 0
  }

  /// Whether a letter or two differ. A number and the first letter tell names apart: `score1` is not `score2`, and
  /// `sender` no `gender`.
  private static func isMisspelt(_ name: String, _ other: String) -> Bool {
    let length = max(name.count, other.count)
    guard length >= 5, name.first == other.first, name.filter(\.isNumber) == other.filter(\.isNumber) else {
      return false
    }
    return EditDistance.between(name, other) <= length / 5
  }

  static func words(_ name: String) -> [String] { NameWords.words(name).map(NameWords.singular) }

  /// `stop_sequence` is the sequence of a StopTime as much as `stop_time_sequence` is.
  private static func without(_ owner: [String], _ words: [String]) -> [String] {
    let front = zip(words, owner).prefix { $0 == $1 }.count
    return front > 0 && words.count > front ? Array(words.dropFirst(front)) : words
  }
}
