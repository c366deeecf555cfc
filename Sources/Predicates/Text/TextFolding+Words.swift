extension TextFolding {
  /// The words of a text as a search for them needs them: `canonical`, each once, in the order in which they come.
  ///
  /// A word is a run of letters and digits, with their marks; anything else stands between words. Two scripts do not
  /// write spaces: an ideograph or a Hiragana letter is a word by itself, as in Unicode's UAX #29. Characters that only
  /// say how others are shown, such as a soft hyphen, are left out. The rule depends on no language and no locale, so a
  /// text has the same words on every system; Foundation's own word boundaries depend on its dictionaries.
  /// - Complexity: linear in the text.
  public static func words(in text: String) -> [String] {
    var words: [String] = []
    var known: Set<String> = []
    var word = String.UnicodeScalarView()
    func end() {
      if word.isEmpty { return }
      let found = String(word)
      if known.insert(found).inserted { words.append(found) }
      word.removeAll()
    }
    // Foundation leaves some marks until the letters under them are folded.
    for scalar in canonical(canonical(text)).unicodeScalars {
      switch role(of: scalar) {
      case .letter: word.append(scalar)
      case .mark: if !word.isEmpty { word.append(scalar) }
      case .ignored: continue
      case .separator: end()
      case .word:
        end()
        word.append(scalar)
        end()
      }
    }
    end()
    return words
  }

  private enum Role { case letter, mark, word, ignored, separator }

  /// The letters of the block, in which marks and signs stand, too.
  private static func isHiragana(_ code: UInt32) -> Bool {
    (0x3041...0x3096).contains(code) || (0x309D...0x309F).contains(code)
  }

  private static func role(of scalar: Unicode.Scalar) -> Role {
    if scalar.isASCII {
      let isLetter = scalar.value | 0x20 >= 0x61 && scalar.value | 0x20 <= 0x7A
      return isLetter || scalar.value >= 0x30 && scalar.value <= 0x39 ? .letter : .separator
    }
    let properties = scalar.properties
    if properties.isIdeographic || isHiragana(scalar.value) { return .word }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      return .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    // A zero-width space is there to part words.
    case .format: return scalar.value == 0x200B ? .separator : .ignored
    default: return .separator
    }
  }
}
