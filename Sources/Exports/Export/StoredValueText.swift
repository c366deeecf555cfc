import Foundation
import ObjectModel
package import Pipelines
package import PropertyLists
package import SeedFormats

/// Stored values as JSON, so that reading them back gives the same stored value.
package enum StoredValueText {
  /// Appends a real: the shortest digits that read back as the same, the infinities in words.
  package static func append(_ number: Double, isFloat: Bool, to writer: NDJSONWriter) {
    guard number.isFinite else { return writer.string(number < 0 ? "-Infinity" : "Infinity") }
    // Another writer's number may be beyond what a Float can be.
    let isNarrow = isFloat && Float(number).isNormal || number == 0
    raw(isNarrow ? Float(number).description : number.description, to: writer)
  }

  /// Appends a date, given in seconds since 2001: ISO 8601 in UTC with as many decimals as it takes; where that cannot
  /// say it (years before 0 or after 9999, or finer than the format), the number itself.
  package static func append(date seconds: Double, to writer: NDJSONWriter) {
    if let text = exactText(ofDate: seconds) {
      writer.string(text)
    } else {
      append(seconds, isFloat: false, to: writer)
    }
  }

  /// Appends a date for people and for other programs: ISO 8601 with as many decimals as it takes, or with six where
  /// that cannot say it.
  package static func append(date seconds: Double, to text: inout [UInt8]) {
    if DateText.append(exactly: seconds, to: &text) { return }
    if let exact = exactText(ofDate: seconds) {
      text.append(contentsOf: exact.utf8)
    } else {
      DateText.append(iso8601: seconds, to: &text)
    }
  }

  /// The text of a date, as `append(date:to:)` appends it.
  package static func text(ofDate seconds: Double) -> String {
    var text: [UInt8] = []
    append(date: seconds, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// ISO 8601 that parses to the very same number; nil when there is none.
  package static func exactText(ofDate seconds: Double) -> String? {
    guard seconds.magnitude < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    let start = DateText.iso8601(Date(timeIntervalSinceReferenceDate: whole))
    guard DateParser.iso8601.parse(start) == whole else { return nil }
    if whole == seconds { return start }
    let fraction = seconds - whole
    for digits in 6...15 {
      // The fraction of a Double this size has no more digits than are asked for here, so this is only its rounding.
      let text = String(format: "%.\(digits)f", fraction)
      guard text.hasPrefix("0.") else { continue }
      let candidate = start.dropLast() + text.dropFirst() + "Z"
      if DateParser.iso8601.parse(String(candidate)) == seconds { return String(candidate) }
    }
    return nil
  }

  /// Whether bytes are UTF-8; fast where all are ASCII.
  package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= bytes.count {
      if unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[index...])
    return unsafe rest.allSatisfy { $0 < 0x80 } || String(validating: rest, as: UTF8.self) != nil
  }

  /// Appends a Transformable's bytes as base64, and beside it their content where that can be shown.
  package static func append(transformable bytes: UnsafeRawBufferPointer, to writer: NDJSONWriter) {
    writer.beginObject()
    writer.key("base64")
    writer.string(unsafe Data(bytes).base64EncodedString())
    if let content = unsafe ArchivedContent(archive: Array(bytes)) {
      writer.key("value")
      append(content, to: writer)
    }
    writer.endObject()
  }

  /// Appends the content of an archive.
  package static func append(_ content: ArchivedContent, to writer: NDJSONWriter) { append(content.json, to: writer) }

  /// Appends a value on one line.
  static func append(_ value: JSONValue, to writer: NDJSONWriter) { raw(value.text(isIndented: false), to: writer) }

  private static func raw(_ json: String, to writer: NDJSONWriter) {
    var json = json
    json.withUTF8 { unsafe writer.raw(UnsafeRawBufferPointer($0)) }
  }
}

extension ArchivedContent {
  /// The content as JSON, where an import makes the same of that: arrays and dictionaries of texts, numbers, flags and
  /// nulls. nil for anything else, such as a date, which would come back as a text, or a text alone, which would be
  /// taken for base64.
  var importedJSON: JSONValue? {
    switch self {
    case .list, .dictionary: isPlain(depth: 0) ? json : nil
    default: nil
    }
  }

  /// - Parameter depth: how many lists and dictionaries it is in; an import takes 60.
  private func isPlain(depth: Int) -> Bool {
    if depth > 60 { return false }
    return switch self {
    case .null, .boolean, .integer, .string: true
    case .real(let number): number.isFinite
    case .decimal, .url, .date, .data, .uuid, .set: false
    case .list(let elements): elements.allSatisfy { $0.isPlain(depth: depth + 1) }
    case .dictionary(let entries): entries.allSatisfy { $0.value.isPlain(depth: depth + 1) }
    }
  }

  /// The content for showing: each value as `Value.json` has it.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(String(number))
    case .real(let number): Value.double(number).json
    case .decimal(let number): Value.decimal(number).json
    case .string(let text), .url(let text): .string(text)
    case .date(let date): Value.date(date).json
    case .data(let data): Value.data(data).json
    case .uuid(let uuid): Value.uuid(uuid).json
    case .list(let elements), .set(let elements): .array(elements.map(\.json))
    case .dictionary(let entries): .object(entries.map { ($0.key, $0.value.json) })
    }
  }
}
