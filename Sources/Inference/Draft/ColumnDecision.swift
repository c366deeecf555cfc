import ObjectModel
import Pipelines

/// The type that a column gets, and why.
struct ColumnDecision {
  var type: AttributeType
  /// How dates are written; nil for ISO 8601.
  var datePattern: String?
  /// Why, in a few words for a comment.
  var evidence: String
  /// How an export will differ, as a sentence for the summary; nil when it will not.
  var rewritten: String?
  /// The texts that mean null, where the values are of a type but for these.
  var nulls: [String] = []
  /// The part of the values that the store cannot keep.
  var lost: String?
  /// Whether it is text only because its digits are a code by its name.
  var isCode = false
  /// A type that would fit if the values counted and not how they are written.
  var byValue: AttributeType?

  /// Names of sums of money, whose fractions are better decimal than binary.
  private static let moneyWords: Set<String> = [
    "price", "prices", "amount", "cost", "costs", "total", "subtotal", "tax", "fee", "fare", "balance", "salary",
    "revenue",
    "profit", "budget", "discount", "payment", "tip", "income", "wage", "rent", "msrp", "usd", "eur", "gbp",
  ]

  /// Names of values that look like numbers and are not: 1.10 comes after 1.9.
  private static let versionWords: Set<String> = [
    "version", "versions", "revision", "revisions", "release", "releases", "build", "builds", "section", "sections",
    "chapter", "chapters", "paragraph", "paragraphs", "clause", "clauses", "article", "articles",
  ]
  /// Names of codes, in which a zero in front counts, whatever the values of this file are.
  private static let codeWords: Set<String> = [
    "zip", "zipcode", "postcode", "postalcode", "postal", "plz", "phone", "telephone", "tel", "fax", "mobile", "isbn",
    "ean", "gtin", "upc", "iban", "fips",
  ]
  /// Names of places, which Core Location has as Double.
  private static let coordinateWords: Set<String> = ["lat", "latitude", "lon", "lng", "long", "longitude"]

  /// - Parameter takesValues: whether the values count, and not how they are written.
  init(_ column: ColumnProfile, takesValues: Bool, isJSON: Bool) {
    self.init(type: .string, evidence: "text")
    if column.values == 0 {
      evidence = column.emptyTexts > 0 ? "always the empty text" : "always empty: text"
      return
    }
    let kinds = [column.texts > 0, column.numbers > 0, column.booleans > 0].count { $0 }
    if kinds > 1 {
      let counts = [(column.texts, "text"), (column.numbers, "number"), (column.booleans, "boolean")]
        .filter { $0.0 > 0 }.map { $0.0.counted($0.1) }.joined(separator: ", ")
      evidence = "\(counts): text"
      lost = "numbers and booleans among texts become texts (\(counts))"
      return
    }
    if column.withNUL > 0 {
      evidence =
        "\(column.withNUL.grouped) of \(column.count.grouped) hold a NUL, which no store takes: their records are rejected"
      lost = "\(column.withNUL.counted("text")) with a NUL: such records are rejected"
      return
    }
    if !isJSON, column.numbers == 0, Self.isCode(column) {
      evidence = "text: a code, in which a zero in front counts"
      isCode = true
      if takesValues, column.marksNulls { adoptMarkers(column) }
      return
    }
    let isVersion = !Self.versionWords.isDisjoint(with: NameWords.words(column.name))
    if isVersion, !isJSON, column.numbers == 0,
      Self.chosen(column, takesValues: false, isJSON: false)?.hasFraction == true
    {
      evidence = "text: a version, of which 1.10 is not 1.1"
      isCode = true
      if takesValues, column.marksNulls { adoptMarkers(column) }
      return
    }
    decide(
      column, takesValues: takesValues && !isVersion || column.numbers > 0, takesTimes: takesValues, isJSON: isJSON)
  }

  /// Whether it holds digits that are no number, by its name.
  private static func isCode(_ column: ColumnProfile) -> Bool {
    var words = NameWords.words(column.name)
    if words.count > 1, let last = words.last, ["code", "no", "nr", "number"].contains(last) { words.removeLast() }
    return words.last.map(codeWords.contains) == true && column.triedValues > 0
      && column.candidate(.integer64)?.same == column.triedValues
  }

  private init(type: AttributeType, evidence: String) {
    self.type = type
    self.evidence = evidence
  }

  /// - Parameter takesTimes: whether counts of milliseconds may become dates.
  private mutating func decide(_ column: ColumnProfile, takesValues: Bool, takesTimes: Bool, isJSON: Bool) {
    // An empty text among values of another type would become null.
    let mixesEmpties = column.blanks > 0 || column.emptyTexts > 0 && (isJSON || column.nulls + column.markerCount > 0)
    if let candidate = Self.chosen(column, takesValues: takesValues, isJSON: isJSON), !mixesEmpties,
      takesValues || column.markerCount == 0
    {
      adopt(candidate, column)
      lookForTimes(column, takesValues: takesTimes)
      adoptMarkers(column)
      return
    }
    if isJSON, column.numbers > 0 {
      // No type holds all of their digits.
      evidence = Self.reason(column, mixesEmpties: false)
      lost = "its numbers have more digits than a number type holds, and become texts"
      return
    }
    evidence = isJSON && column.texts > 0 ? "text" : Self.reason(column, mixesEmpties: mixesEmpties)
    if !takesValues, !mixesEmpties, let candidate = Self.chosen(column, takesValues: true, isJSON: isJSON) {
      byValue = candidate.type
      if let example = candidate.firstOther {
        evidence +=
          "; \(candidate.type.plainName) by value, but \(candidate.sameValue.grouped) of \(column.values.grouped) would be "
          + "written otherwise: \(Self.change(example))"
      }
    }
    if takesValues, column.marksNulls {
      adoptMarkers(column)
    } else if column.markerCount > 0 {
      evidence += byValue.map { "; without them \($0.plainName)" } ?? ""
      evidence += "; \(Self.counted(column)), which \(column.markerCount == 1 ? "stays a text" : "stay texts")"
    }
  }

  /// Lets the texts that stand for no value be null.
  private mutating func adoptMarkers(_ column: ColumnProfile) {
    guard column.markerCount > 0 else { return }
    nulls = column.markerTexts
    let told =
      "\(Self.counted(column)) and \(column.markerCount == 1 ? "becomes" : "become") null: empty in an export "
      + "(line \(column.firstMarkerLine))"
    evidence += "; " + told
    rewritten = [told, rewritten].compactMap { $0 }.joined(separator: "; ")
  }

  /// The narrowest type that all values have.
  private static func chosen(_ column: ColumnProfile, takesValues: Bool, isJSON: Bool) -> TypeCandidate? {
    // One value beside markers tells too little, and texts of many kinds are not all markers.
    let least = column.marksNulls ? 1 : 2
    if column.markerCount > 0, column.triedValues < least || column.markers.count > 2 { return nil }
    let fitting = column.candidates.filter { candidate in
      // A number in quotes is a text in JSON.
      if isJSON, column.texts > 0, [.integer64, .double, .decimal, .boolean].contains(candidate.type) { return false }
      guard !candidate.isGivenUp, candidate.tried == column.triedValues else { return false }
      return candidate.same + (takesValues && mayRewrite(candidate) ? candidate.sameValue : 0) == column.triedValues
    }
    let dates = fitting.filter { $0.type == .date && isLikelyDate($0, column) }
    for candidate in fitting {
      switch candidate.type {
      case .boolean where column.numbers > 0: continue
      // Digits alone are whole numbers; days of eight digits are dates only where the name says so.
      case .integer64: if dates.isEmpty, candidate.same == column.triedValues { return candidate }
      case .boolean:
        if column.candidate(.integer64)?.same != column.triedValues { return candidate }
      case .double, .decimal:
        if dates.isEmpty { return number(column, fitting, isJSON: isJSON) }
      // Where patterns read different dates, none is guessed.
      // Of patterns alike, the one with single letters reads numbers of one digit and of two.
      case .date:
        if let shortest = dates.min(by: { ($0.datePattern ?? "").count < ($1.datePattern ?? "").count }),
          DateShape.areAlike(dates.map(\.datePattern))
        {
          return shortest
        }
      case .uri: if column.haveScheme { return candidate }
      case .binary: if column.looksEncoded, column.markerCount == 0 { return candidate }
      default: return candidate
      }
    }
    return nil
  }

  /// A Decimal where a store keeps its digits: what is written with a point is meant in decimal. A Double for places,
  /// for the numbers of JSON, and where it alone gives back what is written: `1.0` beside `2.5`.
  private static func number(_ column: ColumnProfile, _ fitting: [TypeCandidate], isJSON: Bool) -> TypeCandidate? {
    let double = fitting.first { $0.type == .double }
    let decimal = fitting.first { $0.type == .decimal }
    guard let double, let decimal else { return double ?? decimal }
    if isMoney(column) { return decimal }
    if isJSON || !coordinateWords.isDisjoint(with: NameWords.words(column.name)) { return double }
    let isWritten = double.same + double.negativeZeros.count == column.triedValues
    return isWritten && decimal.same < column.triedValues ? double : decimal
  }

  /// Whether values may be written otherwise. A column of nothing but `no` may be one of countries.
  private static func mayRewrite(_ candidate: TypeCandidate) -> Bool {
    guard candidate.type == .boolean, let example = candidate.firstOther else { return true }
    return candidate.hasBoth || ["true", "false"].contains(example.text.lowercased())
  }

  private static func isLikelyDate(_ candidate: TypeCandidate, _ column: ColumnProfile) -> Bool {
    guard candidate.datePattern == "yyyyMMdd" else { return true }
    return column.smallest > 1800_00_00 && column.greatest < 2200_00_00
      && NameWords.words(column.name).contains {
        ["date", "day", "datum", "since", "until", "born"].contains($0) || $0.hasSuffix("date")
      }
  }

  private static func isMoney(_ column: ColumnProfile) -> Bool {
    column.greatestFraction > 0 && column.greatestFraction <= 4
      && !moneyWords.isDisjoint(with: NameWords.words(column.name))
  }

  private mutating func adopt(_ candidate: TypeCandidate, _ column: ColumnProfile) {
    type = candidate.type
    datePattern = candidate.datePattern
    let all = "all \(column.triedValues.grouped)"
    switch candidate.type {
    case .integer64:
      type = Self.width(column)
      evidence = "whole numbers from \(column.smallest) to \(column.greatest): \(type.name)"
    case .boolean: evidence = "true or false in \(all)"
    case .double: evidence = "numbers with a fraction in \(all): Double"
    case .decimal:
      evidence = "numbers with at most \(column.greatestFraction.counted("decimal")) in \(all): Decimal"
    case .uuid:
      evidence = "UUIDs in \(all)"
      rewritten = "an export writes its UUIDs in capitals"
    case .uri: evidence = "URLs in \(all)"
    case .binary: evidence = "base64 in \(all)"
    case .date:
      evidence = "dates in \(all), " + (candidate.datePattern.map { "written \($0)" } ?? "ISO 8601")
      rewritten = "an export writes its dates in ISO 8601, UTC"
    default: break
    }
    if candidate.sameValue > 0, column.numbers == 0, let example = candidate.firstOther {
      let count = candidate.sameValue
      let told =
        "\(count.grouped) of \(column.triedValues.grouped) \(count == 1 ? "is" : "are") written otherwise in an export: "
        + Self.change(example)
      rewritten = told
      evidence += "; " + told
    } else if column.numbers > 0, let zero = candidate.negativeZeros.first {
      let count = candidate.negativeZeros.count
      let told =
        "\(count.grouped) of \(column.triedValues.grouped) \(count == 1 ? "is" : "are") zero with a minus sign, which no "
        + "store keeps: " + Self.change(zero)
      rewritten = told
      evidence += "; " + told
    }
  }

  /// A width with room for what later feeds hold: 16 bits only for a few values that come again and again, 64 for what
  /// identifies something.
  private static func width(_ column: ColumnProfile) -> AttributeType {
    let magnitude = max(column.smallest.magnitude, column.greatest.magnitude)
    if KeyChoice.isKeyName(column.name) || magnitude > widestOf32Bits { return .integer64 }
    let different = column.keys.hashes.count
    let areCategories = !column.keys.isGivenUp && different <= 32 && different * 10 <= column.values
    return areCategories && magnitude <= widestOf16Bits ? .integer16 : .integer32
  }

  /// Half of what the types hold, and less.
  private static let widestOf16Bits: UInt64 = 10_000
  private static let widestOf32Bits: UInt64 = 1_000_000_000

  /// The decision for a column that turned out to be the key: whole numbers have all room that there is.
  func asKey() -> ColumnDecision {
    guard type == .integer16 || type == .integer32 else { return self }
    var decision = self
    decision.type = .integer64
    decision.evidence = evidence.replacing(": \(type.name)", with: ": \(AttributeType.integer64.name)")
    return decision
  }
}

extension TypeCandidate {
  /// Whether it is a type of numbers with a fraction.
  fileprivate var hasFraction: Bool { type == .double || type == .decimal || type == .float }
}
