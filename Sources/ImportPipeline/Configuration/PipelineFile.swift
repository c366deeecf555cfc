/// A pipeline file after reading: every path is absolute, every default filled in.
public struct PipelineFile: Sendable {
  /// The pipeline file's own path.
  public var path: String
  /// Absolute path of the `.xcdatamodeld` or `.xcdatamodel`.
  public var modelPath: String
  /// The model version's name; nil for the current one.
  public var modelVersion: String?
  /// The store to build.
  public var store: StoreSettings
  /// The steps of `import:`, in order.
  public var imports: [ImportStep]
  /// What happens to records that cannot be imported.
  public var rejects: RejectSettings
  /// The steps of `export:`, in order.
  public var exports: [ExportStep]
  /// What the finished store must have, in order.
  public var expectations: [StoreExpectation] = []
  /// The sources of `lookup()`, in order.
  public var lookups: [LookupSettings] = []
  /// Whether paths that records name may leave the project, as those of the file were allowed to.
  public var allowsOutside = false
  /// Where `model:` is.
  public var modelPosition: FilePosition
  /// Where the model's version is; nil when none is stated.
  public var modelVersionPosition: FilePosition?
}

/// A 1-based position in the pipeline file.
public struct FilePosition: Sendable, Hashable {
  /// From 1.
  public var line: Int
  /// From 1, counted in Unicode scalars.
  public var column: Int

  /// A position from its line and column.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// `store:` of a pipeline file.
public struct StoreSettings: Sendable {
  /// SQLite's journal mode of the finished store: `delete` seals one file, `wal` leaves three.
  public enum Journal: String, Sendable, CaseIterable {
    case delete, wal
  }
  /// When a store that is there already is built anew.
  public enum Replace: String, Sendable, CaseIterable {
    case always, never
    case whenChanged = "when-changed"
  }
  /// Where the rows of a store that is there are written.
  public enum Write: String, Sendable, CaseIterable {
    /// Into a copy, which takes its place.
    case beside
    /// Into the store itself, in one transaction.
    case inPlace = "in-place"
  }
  /// Absolute path of the store.
  public var path: String
  /// Journal mode of the finished store.
  public var journal: Journal
  /// A bundled store to copy first, with its sidecars.
  public var seed: String?
  /// When to build anew.
  public var replace: Replace
  /// Where the rows of a store that is there are written.
  public var write = Write.beside
  /// A UUID to use instead of the one derived from the inputs' contents.
  public var uuid: String?
  /// The framework version whose layout a new store gets; nil for the newest.
  public var framework: Int?
  /// What derived attributes of `now()` and new history transactions get, in seconds since 2001. When nil, the clock
  /// for the former, and a millisecond after the last transaction for the latter.
  public var now: Double?
  /// Where it starts in the pipeline file.
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
  /// How rows are written.
  public enum Strategy: String, Sendable, CaseIterable {
    case automatic
    case findOrCreate = "find-or-create"
    case upsert, bulk
    /// Rows exactly as a dump has them.
    case restore
  }
  /// What happens when the object exists already.
  public enum OnMatch: String, Sendable, CaseIterable {
    case update, keep, fail, replace
  }
  /// Which of several records with the same match keys wins.
  public enum Duplicates: String, Sendable, CaseIterable {
    case last, first, reject
  }
  /// How the step is called in reports; the entity's name by default.
  public var name: String
  /// Where the records come from.
  public var source: SourceSettings
  /// Name of the entity whose objects the records are.
  public var entity: String
  /// Attributes or to-one relationships of the entity; empty: every record is inserted.
  public var match: [String]
  /// Yields the record key, by which references find the record's object during this run; it is not stored.
  public var key: RecordExpression?
  /// How rows are written.
  public var strategy: Strategy
  /// What happens when the object exists already.
  public var onMatch: OnMatch
  /// Which of several records with the same match keys wins.
  public var duplicates: Duplicates
  /// Only records for which it is true are imported; the others are filtered.
  public var condition: RecordExpression?
  /// Where each property's value comes from; never empty.
  public var map: [MapEntry]
  /// What must have become of the records.
  public var expectation: StepExpectation?
  /// Where it starts in the pipeline file.
  public var position: FilePosition
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]

  /// Whether the pipeline file has a strategy for this step, be it `automatic`.
  public var statesStrategy: Bool { fieldPositions["strategy"] != nil }
}

/// `from:` of an import step.
public struct SourceSettings: Sendable {
  /// How records are written.
  public enum Format: String, Sendable, CaseIterable {
    case csv, tsv, json, ndjson, plist

    /// Whether its records are values as JSON has them.
    public var isJSON: Bool { self != .csv && self != .tsv }
    /// Whether it is one document, whose records have positions in an array.
    public var isDocument: Bool { self == .json || self == .plist }
  }
  /// How characters are written.
  public enum Encoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case latin1 = "latin-1"
    case windows1252 = "windows-1252"
  }
  /// Absolute paths in order (a glob is expanded and sorted); `-` is standard input.
  public var paths: [String]
  /// The path or pattern as written.
  public var written: String
  /// How records are written.
  public var format: Format
  /// How characters are written.
  public var encoding: Encoding
  /// CSV: what stands between fields, or its first character.
  public var delimiter: UInt8
  /// CSV: the other characters of a delimiter of several.
  public var delimiterRest: [UInt8] = []
  /// CSV: whether a first line `sep=;` states the delimiter.
  public var honorsSeparatorLine = false
  /// CSV: lines at the start that are passed over.
  public var skippedLines = 0
  /// JSON: whether comments and commas before closing brackets are passed over.
  public var isLenient = false
  /// nil: no field is quoted.
  public var quote: UInt8?
  /// nil: a quote is escaped by doubling it.
  public var escape: UInt8?
  /// What starts a line that is no record.
  public var comment: UInt8?
  /// Whether the first record names the columns.
  public var hasHeader: Bool
  /// Column names that replace the header, or name the columns where there is none.
  public var columns: [String]?
  /// CSV: names of columns that a file need not have.
  public var optionalColumns: [String] = []
  /// JSON Pointer to the array of records inside a JSON document; "" is the document itself.
  public var pointer: String
  /// Whether the pipeline file states the pointer: only then may a document that is an object be the only record, whatever
  /// else it holds.
  public var statesPointer = false
  /// Field texts that mean null; CSV default: the empty unquoted field.
  public var nulls: [String]
  /// Default date format of the step's Date attributes; nil: ISO 8601.
  public var dateFormat: String?
  /// IANA name of the time zone of dates that carry none.
  public var timeZone: String
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}

/// One line of `map:`: a property of the entity and where its value comes from.
public struct MapEntry: Sendable {
  /// Name of the property.
  public var property: String
  /// Where its value comes from.
  public var mapping: Mapping
  /// Where it starts in the pipeline file.
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
  /// Yields the value.
  public var expression: RecordExpression
  /// Replaces the source's `nulls` for this attribute.
  public var nulls: [String]?
  /// Replaces the source's `dateFormat` for this attribute.
  public var dateFormat: String?
  /// Replaces the source's `timeZone` for this attribute.
  public var timeZone: String?
  /// A constant used when the value is absent or null.
  public var defaultValue: RecordExpression?
  /// Whether a file need not have the expression's columns.
  public var isOptional = false
}

/// A relationship by natural key.
public struct ReferenceMapping: Sendable {
  /// What to do when no object has the key.
  public enum Missing: String, Sendable, CaseIterable {
    case reject, null
  }
  /// Attributes of the destination that identify an object; empty when the record key does.
  public var match: [String]
  /// One expression per attribute of `match`; for a record key the one that yields it.
  public var from: [RecordExpression]
  /// Whether the destination is found by its record key.
  public var isByRecordKey = false
  /// To-many: what separates keys in a text field; nil: the field is a JSON array (or holds one key).
  public var separator: String?
  /// What to do when no object has the key once all steps have run.
  public var onMissing: Missing
  /// Whether a file need not have the columns of the key.
  public var isOptional = false
}

/// A nested JSON object or array that becomes one or more objects of the relationship's destination.
public struct NestedMapping: Sendable {
  /// Field path of the object or array inside the record.
  public var from: String
  /// The destination entity, or one of its sub-entities.
  public var entity: String?
  /// Natural key of the nested object; empty: the object belongs to its owner alone.
  public var match: [String]
  /// Where each property of the nested object comes from; paths start at that object.
  public var map: [MapEntry]
  /// Whether records need not have the field.
  public var isOptional = false
  /// Where each field's value is in the pipeline file.
  public var fieldPositions: [String: FilePosition] = [:]
}

/// One step of `export:`.
public struct ExportStep: Sendable {
  /// How objects are written.
  public enum Format: String, Sendable, CaseIterable {
    case csv, tsv, ndjson
  }
  /// One column, or JSON key.
  public struct Column: Sendable {
    /// Column title or JSON key.
    public var name: String
    /// Property names from the entity on.
    public var keyPath: [String]
    /// Where the path is in the pipeline file.
    public var position = FilePosition(line: 1, column: 1)

    /// A column by its title and path.
    public init(name: String, keyPath: [String], position: FilePosition = FilePosition(line: 1, column: 1)) {
      self.name = name
      self.keyPath = keyPath
      self.position = position
    }
  }
  /// One attribute to sort by.
  public struct Order: Sendable {
    /// Property names from the entity on.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// Where the path is in the pipeline file.
    public var position = FilePosition(line: 1, column: 1)

    /// An order by path and direction.
    public init(keyPath: [String], isAscending: Bool, position: FilePosition = FilePosition(line: 1, column: 1)) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.position = position
    }
  }
  /// Name of the entity whose objects are written.
  public var entity: String
  /// Absolute path, `-` for standard output; `.gz` compresses.
  public var to: String
  /// How objects are written.
  public var format: Format
  /// Empty: every stored attribute.
  public var columns: [Column]
  /// Empty: by primary key.
  public var order: [Order]
  /// Guards text cells that a spreadsheet would run as a formula.
  public var safeForSpreadsheets: Bool
  /// Where it starts in the pipeline file.
  public var position: FilePosition
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]
  /// Which objects are written, in the format language; nil: all.
  public var predicate: String?
  /// The most objects that are written, at least 1; nil: all.
  public var limit: Int?
  /// CSV: what stands between the fields, an ASCII character; nil: what the format says.
  public var delimiter: UInt8?
  /// CSV: whether the file begins with a byte order mark, by which some spreadsheets tell UTF-8.
  public var hasByteOrderMark = false
}
