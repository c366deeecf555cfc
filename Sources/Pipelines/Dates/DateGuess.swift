/// Guesses the format of a date that is not in the stated one, for messages.
package enum DateGuess {
  private static let patterns = [
    "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy/MM/dd", "yyyy.MM.dd", "yyyyMMdd", "yyyyMMddHHmmss", "dd.MM.yyyy",
    "d.M.yyyy", "dd.MM.yyyy HH:mm", "dd.MM.yyyy HH:mm:ss", "dd/MM/yyyy", "MM/dd/yyyy", "d/M/yyyy", "M/d/yyyy",
    "dd/MM/yyyy HH:mm", "MM/dd/yyyy HH:mm", "dd-MM-yyyy", "MM-dd-yyyy", "d MMM yyyy", "d MMMM yyyy", "dd-MMM-yyyy",
    "MMM d, yyyy", "MMMM d, yyyy", "EEE, d MMM yyyy HH:mm:ss Z",
  ]
  private static let parsers: [(format: String, parser: DateParser)] =
    [("iso8601", .iso8601)]
    + patterns.compactMap { pattern in
      (try? DateParser(format: pattern, timeZone: "UTC")).map { (pattern, $0) }
    }

  /// The formats that read a text: at most two, the likeliest first. Those that read the same date count once.
  package static func formats(of text: String) -> [String] {
    var found: [(format: String, date: Double)] = []
    for (format, parser) in parsers {
      guard found.count < 2, let date = parser.parse(text), !found.contains(where: { $0.date == date }) else {
        continue
      }
      found.append((format, date))
    }
    if !found.isEmpty { return found.map(\.format) }
    // Counts of these lengths lie in the decades around now.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return [] }
    return text.utf8.count == 10 ? ["epoch"] : text.utf8.count == 13 ? ["epoch-ms"] : []
  }

  /// A pattern as other tools write it, in the letters of this one: `DD.MM.YYYY`, `%d.%m.%Y`, `dd.mm.yyyy`.
  static func translated(_ pattern: String) -> String? {
    var result = ""
    if pattern.contains("%") {
      let letters: [Character: String] = [
        "Y": "yyyy", "m": "MM", "d": "dd", "H": "HH", "M": "mm", "S": "ss", "I": "hh", "p": "a", "z": "Z", "b": "MMM",
        "B": "MMMM", "a": "EEE", "A": "EEEE",
      ]
      var isLetter = false
      for character in pattern {
        if isLetter {
          guard let letter = letters[character] else { return nil }
          result += letter
        } else if character != "%" {
          result.append(character)
        }
        isLetter = !isLetter && character == "%"
      }
      return result
    }
    result = pattern.replacing("D", with: "d").replacing("Y", with: "y")
    let hasHours = pattern.contains("H") || pattern.contains("h")
    return result.contains("M") || hasHours ? result : result.replacing("m", with: "M")
  }
}
