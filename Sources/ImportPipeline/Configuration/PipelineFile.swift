/// A pipeline file after reading: every path is absolute, every default filled in.
public struct PipelineFile: Sendable {
  /// The pipeline file's own path.
  public var path: String
  /// Absolute path of the `.xcdatamodeld` or `.xcdatamodel`.
  public var modelPath: String
  /// The model version's name; nil for the current one.
  public var modelVersion: String?
  public var store: StoreSettings
  public var imports: [ImportStep]
  public var rejects: RejectSettings
  public var exports: [ExportStep]
}

/// A 1-based position in the pipeline file.
public struct FilePosition: Sendable, Hashable {
  public var line: Int
  public var column: Int
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// `store:` of a pipeline file.
public struct StoreSettings: Sendable {
  public enum Journal: String, Sendable, CaseIterable {
    case delete, wal
  }
  public enum Replace: String, Sendable, CaseIterable {
    case always, never
    case whenChanged = "when-changed"
  }
  public var path: String
  public var journal: Journal
  /// A bundled store to copy first, with its sidecars.
  public var seed: String?
  public var replace: Replace
  /// A UUID to use instead of the one derived from the inputs' contents.
  public var uuid: String?
  public var position: FilePosition
}

/// `rejects:` of a pipeline file.
public struct RejectSettings: Sendable {
  /// Where rejected records go; nil: they are only counted and the first ones shown.
  public var file: String?
  /// More rejects than this over the whole run fail it. nil: no limit by count.
  public var limit: Int?
  /// More than this percentage of the records read fails the run. nil: no limit by percent.
  public var percent: Double?
}

/// One step of `import:`.
public struct ImportStep: Sendable {
  public enum Strategy: String, Sendable, CaseIterable {
    case automatic
    case findOrCreate = "find-or-create"
    case upsert, bulk
  }
  public enum OnMatch: String, Sendable, CaseIterable {
    case update, keep, fail, replace
  }
  public enum Duplicates: String, Sendable, CaseIterable {
    case last, first, reject
  }
  /// How the step is called in reports; the entity's name by default.
  public var name: String
  public var source: SourceSettings
  public var entity: String
  /// Attributes or to-one relationships of the entity; empty: every record is inserted.
  public var match: [String]
  public var strategy: Strategy
  public var onMatch: OnMatch
  public var duplicates: Duplicates
  /// Only records for which it is true are imported; the others are filtered.
  public var condition: Expression?
  public var map: [MapEntry]
  public var position: FilePosition
}

/// `from:` of an import step.
public struct SourceSettings: Sendable {
  public enum Format: String, Sendable, CaseIterable {
    case csv, tsv, json, ndjson
  }
  public enum Encoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case latin1 = "latin-1"
  }
  /// Absolute paths in order (a glob is expanded and sorted); `-` is standard input.
  public var paths: [String]
  /// The path or pattern as written.
  public var written: String
  public var format: Format
  public var encoding: Encoding
  public var delimiter: UInt8
  public var quote: UInt8?
  /// nil: a quote is escaped by doubling it.
  public var escape: UInt8?
  public var comment: UInt8?
  public var hasHeader: Bool
  /// Column names that replace the header, or name the columns where there is none.
  public var columns: [String]?
  /// JSON Pointer to the array of records inside a JSON document; "" is the document itself.
  public var pointer: String
  /// Field texts that mean null; CSV default: the empty unquoted field.
  public var nulls: [String]
  /// Default date format of the step's Date attributes; nil: ISO 8601.
  public var dateFormat: String?
  /// IANA name of the time zone of dates that carry none.
  public var timeZone: String
  public var position: FilePosition
}

/// One line of `map:`: a property of the entity and where its value comes from.
public struct MapEntry: Sendable {
  public var property: String
  public var mapping: Mapping
  public var position: FilePosition
}

/// Where the value of a mapped property comes from.
public indirect enum Mapping: Sendable {
  case attribute(AttributeMapping)
  case reference(ReferenceMapping)
  case nested(NestedMapping)
}

/// An attribute's value: an expression over the record and how to read its text.
public struct AttributeMapping: Sendable {
  public var expression: Expression
  /// Replaces the source's `nulls` for this attribute.
  public var nulls: [String]?
  public var dateFormat: String?
  public var timeZone: String?
  /// Used when the value is absent or null.
  public var defaultValue: Expression?
}

/// A relationship by natural key.
public struct ReferenceMapping: Sendable {
  public enum Missing: String, Sendable, CaseIterable {
    case reject, null
  }
  /// Attributes of the destination that identify an object.
  public var match: [String]
  /// One expression per attribute of `match`.
  public var from: [Expression]
  /// To-many: what separates keys in a text field; nil: the field is a JSON array (or holds one key).
  public var separator: String?
  /// What to do when no object has the key once all steps have run.
  public var onMissing: Missing
}

/// A nested JSON object or array that becomes one or more objects of the relationship's destination.
public struct NestedMapping: Sendable {
  /// Field path of the object or array inside the record.
  public var from: String
  /// The destination entity, or one of its sub-entities.
  public var entity: String?
  /// Natural key of the nested object; empty: the object belongs to its owner alone.
  public var match: [String]
  public var map: [MapEntry]
}

/// One step of `export:`.
public struct ExportStep: Sendable {
  public enum Format: String, Sendable, CaseIterable {
    case csv, ndjson
  }
  public struct Column: Sendable {
    /// Column title or JSON key.
    public var name: String
    /// Property names from the entity on.
    public var keyPath: [String]
  }
  public struct Order: Sendable {
    public var keyPath: [String]
    public var isAscending: Bool
  }
  public var entity: String
  /// Absolute path, `-` for standard output; `.gz` compresses.
  public var to: String
  public var format: Format
  /// Empty: every stored attribute.
  public var columns: [Column]
  public var order: [Order]
  /// Guards text cells that a spreadsheet would run as a formula.
  public var safeForSpreadsheets: Bool
  public var position: FilePosition
}
