import Seedbed

/// Makes values that meet the rules of one attribute.
struct ValueGenerator {
  private let attribute: AttributeDefinition
  private let entityName: String
  /// Whether every object needs a value of its own.
  private let isUnique: Bool
  /// Decides where a regular expression, or a rule of the program's own, is to be met.
  private let validator: AttributeValidator?
  private let elements: [(name: String, generator: ValueGenerator)]

  /// - Parameters:
  ///   - path: the attribute's name, or the path of a composite's element.
  ///   - unique: the paths that every object has a value of its own for.
  /// - Throws: `ModelError` for an invalid regular expression.
  init(_ attribute: AttributeDefinition, of entityName: String, path: String, unique: Set<String>) throws {
    self.attribute = attribute
    self.entityName = entityName
    isUnique = unique.contains(path)
    let isPlain = attribute.regularExpression == nil && attribute.validationRules.isEmpty
    validator = isPlain ? nil : try AttributeValidator(attribute)
    elements = try (attribute.composite?.elements ?? []).filter { !$0.isTransient }.map {
      ($0.name, try ValueGenerator($0, of: entityName, path: "\(path).\($0.name)", unique: unique))
    }
  }

  /// A value for the object of a number, from 1.
  func value(_ number: Int, _ random: inout RepeatableRandom) throws(GenerationError) -> Value {
    // One optional value in eight is null.
    if attribute.isOptional, !isUnique, Int.random(in: 0..<8, using: &random) == 0 { return .null }
    let value = isUnique ? try uniqueValue(number, &random) : try freeValue(number, &random)
    guard let validator, !validator.violations(of: value).isEmpty else { return value }
    let standIn = attribute.defaultValue
    if !isUnique, standIn != .null, validator.violations(of: standIn).isEmpty { return standIn }
    if attribute.isOptional { return .null }
    let rules = [attribute.regularExpression].compactMap(\.self) + attribute.validationRules.map(\.predicate)
    throw error("no value is known that meets \"\(rules.joined(separator: "\" and \""))\"")
  }

  private func error(_ message: String) -> GenerationError {
    GenerationError(
      entityName, attribute.name, message,
      hint:
        "say how its values are made: generator.setValues(of: \"\(entityName)\", \"\(attribute.name)\") { number in … }"
    )
  }

  // MARK: - One of many

  private func freeValue(_ number: Int, _ random: inout RepeatableRandom) throws(GenerationError) -> Value {
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(Int64.random(in: integers, using: &random))
    case .boolean: return .boolean(Bool.random(using: &random))
    case .double, .float:
      // Eighths are exact in both, and so are their texts.
      let range = reals
      let value = (Double.random(in: range, using: &random) * 8).rounded() / 8
      return .double(range.contains(value) ? value : range.lowerBound)
    case .decimal:
      let range = decimals
      let cents = Decimal(Int.random(in: 0...99_999, using: &random)) / 100
      let value = range.lower + cents
      return .decimal(value <= range.upper ? value : range.lower)
    case .string: return .string(text(random: &random))
    case .date:
      let range = dates
      let seconds = Double.random(in: range, using: &random).rounded()
      return .date(Date(timeIntervalSinceReferenceDate: range.contains(seconds) ? seconds : range.lowerBound))
    case .binary: return .data(Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    case .transformable:
      let words = ArchivedContent.string(text(random: &random))
      guard let archive = try? words.archived() else { return .null }
      return .data(archive)
    case .uuid: return .uuid(uuid(&random))
    case .uri: return uri("\(UInt32.random(in: .min ... .max, using: &random))")
    case .composite:
      var values: [String: Value] = [:]
      for (name, generator) in elements {
        let value = try generator.value(number, &random)
        if value != .null { values[name] = value }
      }
      return values.isEmpty ? .null : .composite(values)
    case .undefined, .objectID:
      if attribute.isOptional { return .null }
      throw error("values of the type \(attribute.type.name) are not made")
    }
  }

  private static let words = [
    "amber", "birch", "cedar", "dune", "Ewe", "fern", "gorse", "heath", "iris", "juniper", "kelp", "lichen", "moss",
    "nettle", "oak", "pine", "quince", "rowan", "sedge", "thyme", "Ulme", "violet", "willow", "yarrow", "Äsche",
    "épicéa",
    "søpung", "дуб", "松", "🌱",
  ]

  private func text(random: inout RepeatableRandom) -> String {
    let (least, most) = lengths
    var text = ""
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      text += (text.isEmpty ? "" : " ") + Self.words[Int.random(in: Self.words.indices, using: &random)]
    }
    while text.count < least { text += " " + Self.words[Int.random(in: Self.words.indices, using: &random)] }
    return String(text.prefix(most))
  }

  private func uuid(_ random: inout RepeatableRandom) -> UUID {
    let (high, low) = (random.next(), random.next())
    var bytes = unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe Array($0) }
    // Version 4, variant 1.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private func uri(_ last: String) -> Value {
    URL(string: "https://example.com/\(entityName)/\(last)").map { .uri($0) } ?? .null
  }

  // MARK: - Each its own

  private func uniqueValue(_ number: Int, _ random: inout RepeatableRandom) throws(GenerationError) -> Value {
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      // From the lower limit upwards, or from the upper one downwards; without limits from 1.
      let range = integers(upTo: .max)
      let (value, overflows) =
        attribute.minimumValue != .null
        ? range.lowerBound.addingReportingOverflow(Int64(number) - 1)
        : attribute.maximumValue != .null
          ? range.upperBound.subtractingReportingOverflow(Int64(number) - 1) : (Int64(number), false)
      let lowest = attribute.minimumValue == .null ? integerWidth.lowerBound : range.lowerBound
      if !overflows, lowest <= value, value <= range.upperBound { return .integer(value) }
    case .double, .float:
      let value = max(reals(upTo: .infinity).lowerBound, 0) + Double(number)
      // Beyond that not every whole number is a Float.
      if reals(upTo: .infinity).contains(value), attribute.type == .double || value < 16_777_216 {
        return .double(value)
      }
    case .decimal:
      let value = max(decimals.lower, 0) + Decimal(number)
      if attribute.maximumValue == .null || value <= decimals.upper { return .decimal(value) }
    case .string:
      let (least, most) = lengths
      let digits = String(number, radix: 36)
      let long = "\(attribute.name) \(number)"
      if long.count <= most { return .string(Self.padded(long, least)) }
      if digits.count <= most { return .string(String(repeating: "0", count: max(least - digits.count, 0)) + digits) }
    case .date:
      let range = dates
      let seconds = range.lowerBound.rounded(.up) + Double(number)
      if attribute.maximumValue == .null || range.contains(seconds) {
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
    case .binary: return .data(unsafe withUnsafeBytes(of: UInt64(number).bigEndian) { unsafe Data($0) })
    case .uuid: return .uuid(uuid(&random))
    case .uri: return uri("\(number)")
    case .boolean, .transformable, .composite, .undefined, .objectID: break
    }
    throw error("there is no \(number)th value of the type \(attribute.type.name) for a unique attribute")
  }

  /// Digits alone at the end, so that no two padded texts are the same.
  private static func padded(_ text: String, _ length: Int) -> String {
    String(repeating: "·", count: max(length - text.count, 0)) + text
  }

  // MARK: - Limits

  private var integers: ClosedRange<Int64> { integers(upTo: 999) }

  /// - Parameter usual: how far it goes from the lower limit where there is no upper one.
  private func integers(upTo usual: Int64) -> ClosedRange<Int64> {
    let width = integerWidth
    var (lower, upper): (Int64?, Int64?)
    if case .integer(let limit) = attribute.minimumValue { lower = max(limit, width.lowerBound) }
    if case .integer(let limit) = attribute.maximumValue { upper = min(limit, width.upperBound) }
    let first = lower ?? min(0, upper ?? 0)
    let sum = first.addingReportingOverflow(usual)
    let last = upper ?? min(sum.overflow ? .max : sum.partialValue, width.upperBound)
    return first...max(first, last)
  }

  /// The range of the type.
  private var integerWidth: ClosedRange<Int64> {
    switch attribute.type {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    default: .min ... .max
    }
  }

  private var reals: ClosedRange<Double> { reals(upTo: 1_000) }

  private func reals(upTo usual: Double) -> ClosedRange<Double> {
    let lower = Self.real(attribute.minimumValue)
    let upper = Self.real(attribute.maximumValue)
    let first = lower ?? min(0, upper ?? 0)
    return first...max(first, upper ?? first + usual)
  }

  private static func real(_ value: Value) -> Double? {
    switch value {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  private var decimals: (lower: Decimal, upper: Decimal) {
    func limit(_ value: Value) -> Decimal? {
      switch value {
      case .decimal(let number): number
      case .integer(let number): Decimal(number)
      case .double(let number): Decimal(number)
      default: nil
      }
    }
    let upper = limit(attribute.maximumValue)
    let lower = limit(attribute.minimumValue) ?? min(0, upper ?? 0)
    return (lower, upper ?? lower + 1_000)
  }

  private var lengths: (least: Int, most: Int) {
    var (least, most) = (0, Int.max)
    if case .integer(let limit) = attribute.minimumValue { least = Int(clamping: limit) }
    if case .integer(let limit) = attribute.maximumValue { most = Int(clamping: limit) }
    return (least, most)
  }

  /// Seconds since 2001; the years 2020 to 2025 where the model sets no limits.
  private var dates: ClosedRange<Double> {
    var (lower, upper): (Double?, Double?)
    if case .date(let limit) = attribute.minimumValue { lower = limit.timeIntervalSinceReferenceDate }
    if case .date(let limit) = attribute.maximumValue { upper = limit.timeIntervalSinceReferenceDate }
    let years = 189_302_400.0
    let first = lower ?? upper.map { $0 - years } ?? 599_529_600
    return first...max(first, upper ?? first + years)
  }
}
