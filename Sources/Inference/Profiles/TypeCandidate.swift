import ImportEngine
import ObjectModel
import Pipelines
import SeedFormats

/// One type that a column may have, tried on every value of the column.
///
/// The bytes of a value belong to the reader's batch and need to live for the call only: an example is a copy.
final class TypeCandidate {
  /// A value that does not fit, or that an export writes otherwise.
  struct Example {
    var text: String
    var line: UInt64
    /// The text that an export writes.
    var exported = ""
  }

  let type: AttributeType
  /// How dates are written; nil for ISO 8601.
  let datePattern: String?
  private let trial: ValueTrial
  private var dates: DateShape
  private var identifiers = UUIDShape()

  private(set) var same = 0
  private(set) var sameValue = 0
  private(set) var changed = 0
  private(set) var refused = 0
  /// The first value that is not of the type, and the first that would be written otherwise.
  private(set) var firstRefused: Example?
  private(set) var firstOther: Example?
  /// Numbers such as `-0.0`, of which a store keeps the zero: how many, and the first one.
  private(set) var negativeZeros: (count: Int, first: Example?) = (0, nil)
  /// Whether the type is no longer tried, because too many values are not of it.
  private(set) var isGivenUp = false
  /// Booleans: whether both were seen.
  var hasBoth: Bool { hasTrue && hasFalse }
  private var hasTrue = false
  private var hasFalse = false

  init?(_ type: AttributeType, datePattern: String? = nil) {
    guard let dates = datePattern.map({ try? DateParser(format: $0, timeZone: "UTC") }) ?? .iso8601,
      let trial = ValueTrial(type, dates: dates)
    else { return nil }
    self.type = type
    self.datePattern = datePattern
    self.trial = trial
    self.dates = DateShape(pattern: datePattern)
  }

  var tried: Int { same + sameValue + changed + refused }

  /// - Returns: the outcome for the text; nil where it was not tried.
  @discardableResult
  func observe(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, line: UInt64) -> ValueTrial.Outcome? {
    guard !isGivenUp else { return nil }
    let outcome = unsafe type == .decimal ? decimalOutcome(text, kind) : tried(text, kind)
    switch outcome {
    case .same: same += 1
    case .sameValue:
      sameValue += 1
      if firstOther == nil { firstOther = unsafe written(text, kind, line) }
      if type == .double || type == .decimal, unsafe ValueTrial.isNegativeZero(text) {
        negativeZeros.count += 1
        if negativeZeros.first == nil { negativeZeros.first = unsafe written(text, kind, line) }
      }
    case .changed:
      changed += 1
      if firstOther == nil { firstOther = unsafe written(text, kind, line) }
    case .refused:
      refused += 1
      if firstRefused == nil { firstRefused = unsafe Self.example(text, line) }
      isGivenUp = refused >= 20 && refused * 4 > tried || refused >= 5 && refused == tried
    }
    return outcome
  }

  /// Takes a text that is known to come back as it is.
  func countSame() { if !isGivenUp { same += 1 } }

  private func tried(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind) -> ValueTrial.Outcome {
    let outcome = unsafe trial.outcome(text, kind)
    guard outcome != .refused else { return outcome }
    if type == .boolean, !hasBoth {
      if trial.exported == "true" { hasTrue = true } else { hasFalse = true }
    }
    // A form that all values share is no loss: an export in ISO 8601 or capitals has the same information.
    switch type {
    case .date: return unsafe dates.observe(text, exported: trial.exported) ? .same : .changed
    case .uuid: return unsafe identifiers.observe(text) ? .same : .changed
    default: return outcome
    }
  }

  private func decimalOutcome(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind) -> ValueTrial.Outcome {
    guard kind == .string || kind == .number else { return .refused }
    return switch unsafe PlainDecimal.outcome(text) {
    case .same: .same
    case .shortened: .sameValue
    case .unfit: .changed
    case .unclear: unsafe trial.outcome(text, kind)
    }
  }

  private func written(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, _ line: UInt64) -> Example {
    var example = unsafe Self.example(text, line)
    if unsafe trial.outcome(text, kind) != .refused { example.exported = trial.exported }
    return example
  }

  private static func example(_ text: UnsafeRawBufferPointer, _ line: UInt64) -> Example {
    unsafe Example(text: String(decoding: text.prefix(60), as: UTF8.self), line: line)
  }

  /// All types that texts may stand for, the narrowest first.
  static func ofTexts() -> [TypeCandidate] {
    [AttributeType.integer64, .boolean, .double, .decimal, .uuid].compactMap { TypeCandidate($0) }
      + ([nil] + DateShape.patterns).compactMap { TypeCandidate(.date, datePattern: $0) }
      + [AttributeType.uri, .binary].compactMap { TypeCandidate($0) }
  }
}
