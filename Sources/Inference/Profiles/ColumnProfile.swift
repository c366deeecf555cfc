import ImportEngine
import ObjectModel
import SeedFormats

/// The facts about one column, or one key of JSON objects, after all of its values were seen.
final class ColumnProfile {
  /// The column's name in the file.
  let name: String
  /// Values seen, nulls included; of JSON objects those that have the key.
  private(set) var count = 0
  /// Empty fields without quotes, JSON nulls.
  private(set) var nulls = 0
  /// Empty fields in quotes, empty JSON texts.
  private(set) var emptyTexts = 0
  private(set) var texts = 0
  private(set) var numbers = 0
  private(set) var booleans = 0
  /// JSON texts with a NUL, which no store takes.
  private(set) var withNUL = 0
  private(set) var candidates: [TypeCandidate]
  private(set) var smallest = Int64.max
  private(set) var greatest = Int64.min
  private(set) var greatestFraction = 0
  /// Bytes of the longest value.
  private(set) var longest = 0
  private(set) var keys: ColumnHashes
  /// Whether all texts look like base64, which tells it from words.
  private(set) var looksEncoded = true
  /// Numbers with a comma before their fraction.
  private(set) var decimalCommas = 0
  /// Texts that spreadsheets keep from being numbers: `="001"`.
  private(set) var formulas = 0
  private(set) var haveScheme = true
  /// Values with blanks around them, which were left out, and those of nothing but blanks.
  private(set) var padded = 0
  private(set) var blanks = 0
  /// Values that programs write where there is none, by their place in `NullMarker.texts`; no type is tried on them.
  private(set) var markers: [Int: Int] = [:]
  private(set) var markerCount = 0
  private(set) var firstMarkerLine: UInt64 = 0
  /// Those in quotes, which stay texts among texts.
  private(set) var quotedMarkerCount = 0
  /// Whether the values look like keys.
  private(set) var keyShape = KeyShape()

  init(name: String, budget: ColumnHashes.Budget) {
    self.name = name
    candidates = TypeCandidate.ofTexts()
    keys = ColumnHashes(budget)
  }

  /// Values that are not null and not empty.
  var values: Int { texts + numbers + booleans - emptyTexts }

  /// Those on which types are tried.
  var triedValues: Int { values - markerCount }

  /// The texts of the markers.
  var markerTexts: [String] { markers.keys.sorted().map { NullMarker.texts[$0] } }

  /// Whether all markers are those of database dumps, which mean null among texts too.
  var marksNulls: Bool { markers.count == 1 && markers[NullMarker.ofDumps] != nil && quotedMarkerCount == 0 }

  /// The hashes of the markers.
  var markerHashes: Set<UInt64> {
    Set(markerTexts.map { text in unsafe Array(text.utf8).withUnsafeBytes { unsafe ColumnHashes.hash($0) } })
  }

  /// - Parameters:
  ///   - emptyIsNull: as CSV has it; else the empty text is a value like any other.
  ///   - trims: whether blanks around the value are no part of it.
  func observe(
    _ bytes: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, isQuoted: Bool, emptyIsNull: Bool, line: UInt64,
    trims: Bool = false
  ) {
    if trims, let inner = unsafe Self.trimmed(bytes) {
      padded += 1
      if inner.count == 0 { blanks += 1 }
      // Nothing between blanks is the empty text, and no null.
      unsafe observe(inner, kind, isQuoted: true, emptyIsNull: emptyIsNull, line: line)
      return
    }
    // Safety: the bytes stay during the call; only copies of them are kept.
    count += 1
    let isEmpty = bytes.count == 0
    switch kind {
    case .absent, .null:
      nulls += 1
      return
    case .number: numbers += 1
    case .true, .false: booleans += 1
    default:
      if isEmpty {
        if emptyIsNull, !isQuoted {
          nulls += 1
        } else {
          texts += 1
          emptyTexts += 1
          unsafe keys.insert(bytes)
        }
        return
      }
      texts += 1
      if !emptyIsNull, isQuoted, unsafe bytes.contains(0) { withNUL += 1 }
    }
    unsafe keys.insert(bytes)
    if emptyIsNull, padded == 0, let marker = unsafe NullMarker.index(of: bytes) {
      if markerCount == 0 { firstMarkerLine = line }
      markers[marker, default: 0] += 1
      markerCount += 1
      if isQuoted { quotedMarkerCount += 1 }
      return
    }
    var isWhole = false
    for candidate in candidates {
      if isWhole, candidate.type == .decimal {
        candidate.countSame()
      } else if unsafe candidate.observe(bytes, kind, line: line) == .same, candidate.type == .integer64 {
        isWhole = bytes.count <= PlainDecimal.storedDigits
      }
    }
    unsafe look(bytes)
  }

  /// What stands between blanks; nil where there are none.
  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let blank = UInt8(ascii: " ")
    guard unsafe bytes.first == blank || bytes.last == blank else { return nil }
    guard let start = unsafe bytes.firstIndex(where: { $0 != blank }),
      let end = unsafe bytes.lastIndex(where: { $0 != blank })
    else { return unsafe UnsafeRawBufferPointer(start: bytes.baseAddress, count: 0) }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[start...end])
  }

  private func look(_ bytes: UnsafeRawBufferPointer) {
    longest = max(longest, bytes.count)
    // A column with a value twice is no key, whatever they look like.
    if keys.isUnique { unsafe keyShape.observe(bytes) }
    if let integer = candidates.first, !integer.isGivenUp, let number = unsafe Self.integer(bytes) {
      smallest = min(smallest, number)
      greatest = max(greatest, number)
    }
    if let point = unsafe bytes.firstIndex(of: UInt8(ascii: ".")) {
      greatestFraction = max(greatestFraction, bytes.count - point - 1)
    }
    if kindOfNumberIsOpen, unsafe Self.hasDecimalComma(bytes) { decimalCommas += 1 }
    if unsafe bytes.count > 2 && bytes[0] == UInt8(ascii: "=") && bytes[1] == UInt8(ascii: "\"")
      && bytes[bytes.count - 1] == UInt8(ascii: "\"")
    {
      formulas += 1
    }
    if looksEncoded { looksEncoded = unsafe Self.looksEncoded(bytes) }
    if haveScheme { haveScheme = unsafe Self.hasScheme(bytes) }
  }

  /// Whether most texts up to here could be numbers with a comma: it is not looked for in words.
  private var kindOfNumberIsOpen: Bool { texts < 8 || decimalCommas * 2 > texts }

  /// Digits, in groups of three with points between them or without, a comma, and digits.
  private static func hasDecimalComma(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= 24, unsafe bytes.contains(UInt8(ascii: ",")) else { return false }
    let text = unsafe Array(bytes)
    let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count == 2, let fraction = parts.last, let first = parts.first else { return false }
    let whole = first.first == UInt8(ascii: "-") ? first.dropFirst() : first
    let groups = whole.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // `1,000` may be a thousand.
    guard fraction.count != 3 || groups.count > 1 else { return false }
    return (groups + [fraction]).allSatisfy { group in
      !group.isEmpty && group.allSatisfy { (48...57).contains($0) }
    } && groups.dropFirst().allSatisfy { $0.count == 3 }
  }

  private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard bytes.count <= 20 else { return nil }
    return unsafe Int64(String(decoding: bytes, as: UTF8.self))
  }

  /// Longer than a word, with capitals, small letters, and digits or marks.
  private static func looksEncoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 20, bytes.count % 4 == 0 else { return false }
    var kinds = (capital: false, small: false, other: false)
    for index in 0..<min(bytes.count, 200) {
      switch unsafe bytes[index] {
      case 65...90: kinds.capital = true
      case 97...122: kinds.small = true
      case 48...57, 43, 47, 61: kinds.other = true
      default: return false
      }
    }
    return kinds.capital && kinds.small && kinds.other
  }

  /// A URL is told from other texts that are relative references by its scheme.
  private static func hasScheme(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = unsafe String(decoding: bytes.prefix(32), as: UTF8.self)
    guard let colon = start.firstIndex(of: ":") else { return false }
    let scheme = start[..<colon]
    return start[colon...].hasPrefix("://") && !scheme.isEmpty
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
      || ["mailto", "tel", "urn", "data"].contains(String(scheme))
  }

  func candidate(_ type: AttributeType) -> TypeCandidate? { candidates.first { $0.type == type } }
}
