import ImportPipeline
import ObjectModel
import SeedFormats

/// One type that a column may have, tried on every value of the column.
final class TypeCandidate {
  /// A value that does not fit.
  struct Example {
    var text: String
    var line: UInt64
  }

  let type: AttributeType
  /// How dates are written; nil for ISO 8601.
  let datePattern: String?
  private let trial: ValueTrial
  private var shape = DateShape()

  private(set) var same = 0
  private(set) var sameValue = 0
  private(set) var changed = 0
  private(set) var refused = 0
  /// The first value that is none of the type, and the first that would be written otherwise.
  private(set) var firstRefused: Example?
  private(set) var firstOther: Example?
  /// What is no longer tried, because too many values are none of the type.
  private(set) var isGivenUp = false

  init?(_ type: AttributeType, datePattern: String? = nil) {
    guard let dates = datePattern.map({ try? DateParser(format: $0, timeZone: "UTC") }) ?? .iso8601,
      let trial = ValueTrial(type, dates: dates)
    else { return nil }
    self.type = type
    self.datePattern = datePattern
    self.trial = trial
  }

  var tried: Int { same + sameValue + changed + refused }

  func take(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind, line: UInt64) {
    guard !isGivenUp else { return }
    var outcome = unsafe trial.outcome(text, kind)
    if type == .date || type == .uuid, outcome != .refused {
      // What all values have in common is no loss: an export's ISO 8601 or capitals say the same.
      outcome = unsafe shape.take(text, pattern: datePattern, exported: trial.exported) ? .same : .changed
    }
    switch outcome {
    case .same: same += 1
    case .sameValue:
      sameValue += 1
      if firstOther == nil { firstOther = unsafe Self.example(text, line) }
    case .changed:
      changed += 1
      if firstOther == nil { firstOther = unsafe Self.example(text, line) }
    case .refused:
      refused += 1
      if firstRefused == nil { firstRefused = unsafe Self.example(text, line) }
      isGivenUp = refused >= 20 && refused * 4 > tried || refused >= 5 && refused == tried
    }
  }

  private static func example(_ text: UnsafeRawBufferPointer, _ line: UInt64) -> Example {
    unsafe Example(text: String(decoding: text.prefix(60), as: UTF8.self), line: line)
  }

  /// All types that texts may stand for, the narrowest first.
  /// - Parameter mayBeDecimal: trying that costs more than all the others.
  static func ofTexts(mayBeDecimal: Bool) -> [TypeCandidate] {
    ([AttributeType.integer64, .boolean, .double] + (mayBeDecimal ? [.decimal] : []) + [.uuid])
      .compactMap { TypeCandidate($0) }
      + ([nil] + DateShape.patterns).compactMap { TypeCandidate(.date, datePattern: $0) }
      + [AttributeType.uri, .binary].compactMap { TypeCandidate($0) }
  }
}
