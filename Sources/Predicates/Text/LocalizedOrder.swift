/// The order in which people expect names: what `localizedStandardCompare:` is for, the same on every machine.
///
/// It depends on no language. Texts compare in levels, and the next one decides only where the one before finds them
/// equal:
///
/// 1. without case and diacritics: blanks, punctuation, symbols, numbers, letters, in this order; digits 0 to 9 in a
///    row compare as one number, so that `stop 9` comes before `stop 10`;
/// 2. by diacritics: none first (left out with `diacriticInsensitive`);
/// 3. by case: lower case first (left out with `caseInsensitive`);
/// 4. by UTF-8 bytes (left out with either).
///
/// Two texts are equal exactly when `TextFolding` leaves the same bytes of them under the same options.
public enum LocalizedOrder {
  /// Negative, zero or positive.
  /// - Complexity: linear in the length of the texts.
  public static func compare(_ left: String, _ right: String, options: FetchPredicate.Comparison.Options = []) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right), options: options)
      }
    }
  }

  /// The levels, one after the other, for any text.
  package static func compareFolded(_ left: String, _ right: String, _ options: FetchPredicate.Comparison.Options)
    -> Int
  {
    let both: FetchPredicate.Comparison.Options = [.caseInsensitive, .diacriticInsensitive]
    let order = compareBase(TextFolding.fold(left, options: both), TextFolding.fold(right, options: both))
    if order != 0 { return order }
    let given = options.intersection(both)
    if given == both { return 0 }
    if !given.contains(.diacriticInsensitive) {
      let order = compareBytes(
        TextFolding.fold(left, options: .caseInsensitive), TextFolding.fold(right, options: .caseInsensitive))
      if order != 0 { return order }
    }
    if !given.contains(.caseInsensitive) {
      let order = compareCase(
        TextFolding.fold(left, options: .diacriticInsensitive), TextFolding.fold(right, options: .diacriticInsensitive))
      if order != 0 { return order }
    }
    return given.isEmpty ? compareBytes(left, right) : 0
  }

  private static func compareBase(_ left: String, _ right: String) -> Int {
    var leftRest = Substring(left).unicodeScalars
    var rightRest = Substring(right).unicodeScalars
    while let first = leftRest.first, let second = rightRest.first {
      if isDigit(first), isDigit(second) {
        let order = compareNumbers(removeDigits(&leftRest), removeDigits(&rightRest))
        if order != 0 { return order }
        continue
      }
      if first != second {
        let order = rank(first) - rank(second)
        return order != 0 ? order : (first.value < second.value ? -1 : 1)
      }
      leftRest.removeFirst()
      rightRest.removeFirst()
    }
    if leftRest.isEmpty != rightRest.isEmpty { return leftRest.isEmpty ? -1 : 1 }
    // Equal up to leading zeros of numbers.
    return compareBytes(left, right)
  }

  private static func removeDigits(_ text: inout Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    let digits = text.prefix(while: isDigit)
    text = text[digits.endIndex...]
    return digits
  }

  /// By value: without leading zeros, the longer one is greater.
  private static func compareNumbers(
    _ left: Substring.UnicodeScalarView, _ right: Substring.UnicodeScalarView
  ) -> Int {
    let left = left.drop { $0 == "0" }
    let right = right.drop { $0 == "0" }
    if left.count != right.count { return left.count < right.count ? -1 : 1 }
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

  private static func rank(_ scalar: Unicode.Scalar) -> Int {
    if isDigit(scalar) { return 3 }
    if scalar >= "a" && scalar <= "z" { return 4 }
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format: return 0
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      return 1
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: return 2
    case .decimalNumber, .letterNumber, .otherNumber: return 3
    default: return 4
    }
  }

  private static func compareCase(_ left: String, _ right: String) -> Int {
    for (first, second) in zip(left.unicodeScalars, right.unicodeScalars) where first != second {
      let isLower = first.properties.isLowercase
      if isLower != second.properties.isLowercase { return isLower ? -1 : 1 }
      return first.value < second.value ? -1 : 1
    }
    return compareBytes(left, right)
  }

  private static func compareBytes(_ left: String, _ right: String) -> Int {
    if left.utf8.lexicographicallyPrecedes(right.utf8) { return -1 }
    return right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
  }
}
