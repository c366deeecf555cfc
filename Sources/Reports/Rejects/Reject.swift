public import Pipelines

/// A record that was not imported, with everything needed to find and mend it.
public struct Reject: Sendable, Hashable {
  /// The source as the pipeline file writes it, or as a glob found it.
  public var file: String
  /// The line of the source in which the problem is, from 1.
  public var line: Int
  /// The column, from 1, in characters of the line.
  public var column: Int
  /// From the start of the decompressed source.
  public var byteOffset: Int
  /// The entity of the import step.
  public var entity: String
  /// The property whose value was refused; empty when the whole record was.
  public var property: String
  /// A stable code such as `value.not-a-number`.
  public var code: String
  /// The refused text, at most `valueLimit` characters of it.
  public var value: String
  /// What is wrong, with every further problem of the record after a semicolon.
  public var message: String
  /// What to do; may be empty.
  public var hint: String
  /// JSON sources: the JSON Pointer of the refused value, in the record's line (NDJSON) or in the document.
  public var pointer: String?

  /// A record that is refused.
  package init(
    file: String, line: Int, column: Int, byteOffset: Int, entity: String, property: String, code: String,
    value: String, message: String, hint: String, pointer: String? = nil
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
    self.entity = entity
    self.property = property
    self.code = code
    self.value = value
    self.message = message
    self.hint = hint
    self.pointer = pointer
  }

  /// Longest value kept in a reject, in characters.
  public static let valueLimit = 200

  /// The reject as a JSON object, with the names of the reject file's columns.
  public var json: JSONValue {
    .object(
      [
        ("file", .string(file)), ("line", .integer(line)), ("column", .integer(column)),
        ("byteOffset", .integer(byteOffset)), ("entity", .string(entity)), ("property", .string(property)),
        ("code", .string(code)), ("value", .string(value)), ("message", .string(message)), ("hint", .string(hint)),
      ] + (pointer.map { [("pointer", .string($0))] } ?? []))
  }

  /// Where the record is, as a message begins.
  package var place: String { "\(file):\(line):\(column): " }

  /// The reject as it is shown to a person.
  public var text: String {
    "\(place)\(message)" + (hint.isEmpty ? "" : "\n  hint: \(hint)")
  }
}

extension RunError.Position {
  /// Where a reject is.
  package init(_ reject: Reject) {
    self.init(file: reject.file, line: reject.line, column: reject.column, byteOffset: reject.byteOffset)
  }
}
