import Foundation

/// The words of a name, whatever joins them: `stop_id`, `stopId`, `Stop ID` and `STOP-ID` have the same two.
enum NameWords {
  static func words(_ name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var previous: Character?
    let characters = Array(folded(name))
    for (index, character) in characters.enumerated() {
      guard character.unicodeScalars.allSatisfy(isOfName) else {
        if !word.isEmpty { words.append(word) }
        word = ""
        previous = nil
        continue
      }
      if let previous, character.isUppercase {
        // "imageURL" and "URLPath": capitals belong together up to the one that begins a word.
        let beginsWord = index + 1 < characters.count && characters[index + 1].isLowercase
        if !previous.isUppercase || beginsWord {
          words.append(word)
          word = ""
        }
      }
      word.append(character)
      previous = character
    }
    if !word.isEmpty { words.append(word) }
    return words.map { $0.lowercased() }
  }

  /// Whether names of models and of Swift may hold it.
  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
      || scalar.properties.canonicalCombiningClass != .notReordered
  }

  /// Without accents and signs that are not seen, as far as letters have a plain form, and with plain digits for those
  /// of `m³`; other scripts stay.
  private static func folded(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
    let plain = name.replacing("ß", with: "ss").replacing("æ", with: "ae").replacing("ø", with: "o")
      .replacing("œ", with: "oe").replacing("Ø", with: "O").replacing("Æ", with: "Ae").replacing("ł", with: "l")
    let digits = plain.map { character in
      guard character.isNumber, !character.unicodeScalars.allSatisfy(isOfName) else { return String(character) }
      return String(character).decomposedStringWithCompatibilityMapping
    }
    let seen = digits.joined().unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    return String(String.UnicodeScalarView(seen)).folding(
      options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  static func lowerCamel(_ words: [String]) -> String {
    (words.first ?? "") + words.dropFirst().map(capitalized).joined()
  }

  static func upperCamel(_ words: [String]) -> String { words.map(capitalized).joined() }

  static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static let keptSingular: Set<String> = [
    "series", "species", "basics", "analytics", "statistics", "economics", "politics", "physics", "logistics", "news",
    "status", "address", "bus", "gas", "analysis", "basis", "campus", "corpus", "bonus",
    "virus", "census", "atlas", "lens", "iris", "diabetes", "always", "plus", "minus", "access", "process", "class",
  ]
  private static let irregular = [
    "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot",
    "movies": "movie", "cookies": "cookie", "indices": "index", "vertices": "vertex", "geese": "goose",
    "leaves": "leaf", "knives": "knife", "lives": "life",
  ]

  /// The singular of an English plural, by plain rules; a word that is none stays.
  static func singular(_ word: String) -> String {
    if let known = irregular[word] { return known }
    if keptSingular.contains(word) || word.count < 4 || !word.hasSuffix("s") || word.hasSuffix("ss")
      || word.hasSuffix("us") || word.hasSuffix("is")
    {
      return word
    }
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for end in ["sses", "xes", "ches", "shes", "zzes", "uses"] where word.hasSuffix(end) {
      return String(word.dropLast(2))
    }
    return String(word.dropLast())
  }

  /// The English plural of a word.
  static func plural(_ word: String) -> String {
    if let known = irregular.first(where: { $0.value == word }) { return known.key }
    if ["series", "species", "news"].contains(word) { return word }
    for end in ["s", "x", "ch", "sh", "z"] where word.hasSuffix(end) { return word + "es" }
    if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
      return word.dropLast() + "ies"
    }
    return word + "s"
  }
}
