import Foundation
import Predicates
import TestSupport
import Testing

/// What `TextFolding.words` makes of texts.
@Suite("Words of texts")
struct SearchWordsTests {
  @Test(
    "letters, marks and digits are words, each once, folded",
    arguments: [
      ("", []), ("  ", []), ("Café au lait", ["cafe", "au", "lait"]),
      ("L'Été: 2 étés, un été!", ["l", "ete", "2", "etes", "un"]),
      ("don't", ["don", "t"]), ("AB-12/3.5", ["ab", "12", "3", "5"]), ("Straße STRASSE", ["strasse"]),
      ("e\u{301}te\u{301}", ["ete"]), ("Donau\u{AD}dampf", ["donaudampf"]), ("zero\u{200B}width", ["zero", "width"]),
      ("東京タワー 2", ["東", "京", "タワー", "2"]), ("ひらかな", ["ひ", "ら", "か", "な"]), ("Ｆｕｌｌ", ["full"]),
      ("Привет, МИР", ["привет", "мир"]), ("🙂 smile", ["smile"]), ("a\u{0}b", ["a", "b"]), ("x_y", ["x", "y"]),
      ("ⅣⅤ ½", ["ⅳⅴ", "½"]),
    ] as [(String, [String])])
  func words(text: String, expected: [String]) {
    #expect(TextFolding.words(in: text) == expected)
  }

  /// The same rule as a regular expression.
  private static func slowWords(_ text: String) throws -> [String] {
    let alone = "[\\p{Ideographic}\\u3041-\\u3096\\u309D-\\u309F]"
    let expression = try NSRegularExpression(
      pattern: "\(alone)|(?:(?!\(alone))[\\p{L}\\p{N}])(?:(?!\(alone))[\\p{L}\\p{M}\\p{N}])*")
    let shown = TextFolding.canonical(TextFolding.canonical(text)).unicodeScalars.filter {
      $0.properties.generalCategory != .format || $0.value == 0x200B
    }
    let plain = String(String.UnicodeScalarView(shown)) as NSString
    var words: [String] = []
    for match in expression.matches(in: plain as String, range: NSRange(location: 0, length: plain.length)) {
      let word = plain.substring(with: match.range)
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  @Test("random texts have the words that a regular expression finds, and these have themselves")
  func random() throws {
    var generator = SeededGenerator(seed: 4)
    let alphabet = Array("aAbéÉß1２ '-_.,ñ東京ひカ\u{301}\u{AD}\u{200B}\u{200D}жЖ🙂אبไ\n").flatMap(\.unicodeScalars)
    for _ in 0..<3_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...14, using: &generator) {
        scalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
      }
      let text = String(scalars)
      let found = TextFolding.words(in: text)
      let slow = try Self.slowWords(text)
      #expect(
        found.map { Array($0.unicodeScalars) } == slow.map { Array($0.unicodeScalars) }, "\(scalars.map(\.value))")
      #expect(TextFolding.words(in: found.joined(separator: " ")) == found)
    }
  }
}
