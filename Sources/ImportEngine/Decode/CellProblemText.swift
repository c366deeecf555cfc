import Foundation
import ObjectModel
import Pipelines
import StoreInterface

extension CellProblem {
  /// The problem in words: what was wrong with which value, and what to do.
  /// - Parameter dates: how the cell reads dates.
  func described(
    attribute: AttributeDefinition, entity: String, property: String, rawOffset: UInt32?, text: String,
    dates: DateParser
  ) -> RecordProblem {
    let type = attribute.type.title
    let place = "\(entity).\(property)"
    let quoted = "\"\(text)\""
    // A word such as NULL or n/a may stand for a missing value; something with digits is a value to be mended.
    let nullHint =
      Self.isPlaceholder(text)
      ? "add nulls: [\(YAMLText.name(text))] to the source, or raise rejects.limit"
      : text.contains(where: \.isNumber)
        ? "mend the value, convert it with an expression such as replace(), or raise rejects.limit"
        : "is this the right column? Or mend the value, or raise rejects.limit"
    let code: String
    let message: String
    var hint = nullHint
    switch self {
    case .none, .isMissing:
      code = "value.missing"
      message = "\(place) is required and the value is empty"
      hint = "give it a default: in map, or make it optional in the model"
    case .notAnInteger, .notAReal, .notADecimal:
      code = "value.not-a-number"
      message = "\(quoted) is not \(type.article) (\(place))"
      let example = self == .notAnInteger ? "a whole number such as 42 or -7" : "a number such as 1234.5"
      hint = "expected \(example); " + (NumberGuess.advice(for: text) ?? nullHint)
    case .notABoolean:
      code = "value.not-a-boolean"
      message = "\(quoted) is not a Boolean (\(place))"
      hint = "expected true, false, yes, no, 1 or 0"
    case .notADate:
      code = "value.not-a-date"
      let isOutside = dates.isOutsideCalendar(text)
      message =
        "\(quoted) is no date" + (isOutside ? " of the calendar, in the format " : ": expected ")
        + "\(dates.expectation) (\(place))"
      let guesses = isOutside ? [] : DateGuess.formats(of: text).map { "date: \($0)" }
      hint =
        isOutside
        ? dates.advice(forCount: text) ?? nullHint
        : guesses.isEmpty && dates.isStated
          ? "mend the value, or raise rejects.limit"
          : guesses.isEmpty
            ? "state the format with date:, such as date: dd/MM/yyyy; the default is ISO 8601"
            : guesses.joined(separator: " or ") + " reads it"
    case .notAUUID:
      code = "value.not-a-uuid"
      message = "\(quoted) is not a UUID (\(place))"
      hint = "expected 32 hexadecimal digits in groups of 8-4-4-4-12; " + nullHint
    case .notAURI:
      code = "value.not-a-uri"
      message = "\(quoted) is not a URI (\(place))"
      hint = "blanks and letters outside ASCII are written as %20 and the like"
    case .notBase64:
      code = "value.not-base64"
      message = "\(quoted) is not base64 (\(place))"
      hint = "expected base64; binary values are written in it"
    case .notADuration:
      code = "value.not-a-duration"
      message = "\(quoted) is not a duration (\(place))"
      hint = "expected H:MM:SS, H:MM or a number of seconds"
    case .outOfRange:
      code = "value.out-of-range"
      message = "\(quoted) does not fit \(type.article) (\(place))"
      hint = "use a wider type in the model, or mend the value"
    case .notFinite:
      code = "value.not-finite"
      message = "\(quoted) is not a finite number (\(place))"
      hint =
        text.contains(where: \.isNumber)
        ? "it is greater than \(type.article) can be; mend the value, or raise rejects.limit"
        : "attributes hold no NaN and no infinity; where it stands for no value, add nulls: [\"\", \(YAMLText.name(text))] "
          + "to the attribute or the source"
    case .tooSmall:
      code = "value.out-of-range"
      message = "\(quoted) is not zero, but too near to it for \(type.article) (\(place))"
      hint =
        (attribute.type == .float ? "use a Double, " : "") + "write 0 where that is meant, or mend the value"
    case .belowMinimum:
      code = "value.below-minimum"
      message = "\(quoted) is below the minimum \(attribute.minimumValue.shown) (\(place))"
      hint = "the model sets the minimum"
    case .aboveMaximum:
      code = "value.above-maximum"
      message = "\(quoted) is above the maximum \(attribute.maximumValue.shown) (\(place))"
      hint = "the model sets the maximum"
    case .tooShort:
      code = "value.too-short"
      message = "\(quoted) is shorter than \(attribute.minimumValue.shown) characters (\(place))"
      hint = "the model sets the shortest length"
    case .tooLong:
      code = "value.too-long"
      message = "\(quoted) is longer than \(attribute.maximumValue.shown) characters (\(place))"
      hint = "the model sets the greatest length"
    case .doesNotMatch:
      code = "value.does-not-match"
      message = "\(quoted) does not match \(attribute.regularExpression ?? "") (\(place))"
      hint = "the model sets the regular expression"
    case .isUndecided:
      code = "value.match-undecided"
      message =
        "whether \(quoted) matches \(attribute.regularExpression ?? "") takes too long to find out (\(place))"
      hint = "the model sets the regular expression; without nested repetitions, such as (a+)+, it is quick"
    case .hasNUL:
      code = "text.nul"
      message = "the text holds a NUL character (\(place))"
      hint = "remove \\u0000 from the data"
    case .isFile:
      code = "value.file"
      message = "a file is not \(type.article) (\(place))"
      hint = "file() gives values of Binary attributes"
    case .tooMuchData:
      code = "value.too-much-data"
      message = "the files of the record and its neighbours take more than 2 GiB (\(place))"
      hint = "spread them over several records"
    case .isStructured:
      code = "value.structured"
      message = "a JSON object or array is not \(type.article) (\(place))"
      hint = "map a path inside it, such as \(property).name"
    }
    return RecordProblem(
      rawOffset: rawOffset, property: property, code: code, value: text, message: message, hint: hint)
  }
}

extension CellProblem {
  /// How one value of a JSON array or object is reached.
  static func hint(forStructured text: String, at path: String) -> String? {
    func inner(_ name: some StringProtocol) -> String {
      RecordExpression.quoted(path.isEmpty || path.hasPrefix("/") ? "\(path)/\(name)" : "\(path).\(name)")
    }
    if text.hasPrefix("[") {
      return "it is an array, and one value is expected: write first(\(RecordExpression.quoted(path))) or "
        + "\(inner("0")) for its first element"
    }
    guard let name = firstName(of: text) else { return nil }
    return "it is an object, and one value is expected: write \(inner(name)) for its \"\(name)\""
  }

  /// How the objects of an array are taken as the members of a relationship that was given keys.
  static func hint(forKeyObject text: String, at path: String, _ reference: ReferencePlan) -> String? {
    guard let name = firstName(of: text), let key = reference.keyColumns.first?.source.propertyName else { return nil }
    return "they are objects, and keys are expected: write { from: \(path), match: \(key), map: { \(key): \(name) } } "
      + "where \"\(name)\" is the key"
  }

  /// The first name in an object. One with a point or a slash in it is reached otherwise, and one with an escape is not
  /// looked at.
  private static func firstName(of text: String) -> Substring? {
    let name = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false).dropFirst().first
    return name.flatMap { $0.isEmpty || $0.contains(where: { "\\./".contains($0) }) ? nil : $0 }
  }

  private static let placeholders: Set<String> = [
    "null", "nil", "none", "nan", "na", "n/a", "#n/a", "n.a.", "k.a.", "unknown", "undefined", "missing", "empty",
    "void", "tbd", "\\n", "(null)", "(none)", "<null>", "no data", "not available",
  ]

  /// Whether a text is one that people write where there is no value.
  private static func isPlaceholder(_ text: String) -> Bool {
    placeholders.contains(text.lowercased()) || !text.contains { $0.isLetter || $0.isNumber }
  }
}

extension AttributeType {
  /// Whether a null text in quotes is a value in CSV. Exports write empty texts and empty data so, to tell them from
  /// null.
  var keepsQuotedNulls: Bool { self == .string || self == .binary }
}

extension Value {
  var asInteger: Int64? {
    switch self {
    case .integer(let value): value
    case .double(let value): Int64(exactly: value)
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  var asDouble: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  var asDecimal: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .double(let value): Decimal(value)
    case .decimal(let value): value
    default: nil
    }
  }

  /// The value as messages show it.
  var shown: String {
    switch self {
    case .null: "null"
    case .data(let value): "\(value.count) bytes"
    case .composite(let elements): "\(elements.count) elements"
    default: plainText
    }
  }
}
