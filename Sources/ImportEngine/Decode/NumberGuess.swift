/// What a text that is no number may be meant as.
enum NumberGuess {
  /// How to read a number in another country's form, or with a sign of money or percent; nil for any other text.
  static func advice(for text: String) -> String? {
    // Most texts that are no numbers are words.
    if text.utf8.contains(where: { (65...90).contains($0 & 0xDF) }) { return nil }
    let signs: [String] = ["$", "€", "£", "¥", "%", " "].filter { text.contains($0) }
    let plain = signs.reduce(text) { $0.replacing($1, with: "") }
    let digits = plain.first == "-" || plain.first == "+" ? plain.dropFirst() : plain[...]
    guard digits.utf8.first.map({ (48...57).contains($0) }) == true,
      digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") })
    else { return nil }
    let groups = digits.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "." }
    let marks = digits.filter { $0 == "," || $0 == "." }
    let leftOut = signs.isEmpty ? "" : " and leaves out \(signs.map { "\"\($0)\"" }.joined(separator: ", "))"
    if marks.isEmpty || marks == "." {
      return signs.isEmpty
        ? nil : "number(\(without(signs))) reads it" + leftOut.replacing(" and leaves", with: ", and leaves")
    }
    guard let last = marks.last, let fraction = groups.last else { return nil }
    let others = marks.dropLast()
    if !others.contains(last), last == "," || !others.isEmpty {
      // `1.234,5`, `24,90`, `1,234.5`
      let other = last == "," ? "." : ","
      let decimals = without(signs + (others.isEmpty ? [] : [other]))
      let expression = last == "," ? "replace(\(decimals), ',', '.')" : decimals
      let told =
        "number(\(expression)) reads it with \(last == "," ? "a comma" : "a point") before the decimals" + leftOut
      guard others.isEmpty, fraction.count == 3 else { return told }
      return told + "; number(\(without(signs + [","]))) where it stands between thousands"
    }
    guard Set(marks).count == 1, groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
    return
      "number(\(without(signs + [String(last)]))) reads it with \(last == "," ? "commas" : "points") between thousands"
      + leftOut
  }

  /// An expression for the field `x` without some signs.
  private static func without(_ signs: [String]) -> String {
    signs.reduce("x") { "replace(\($0), '\($1)', '')" }
  }
}
