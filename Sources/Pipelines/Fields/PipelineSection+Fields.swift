extension PipelineSection {
  static let pipelineFields = [
    FieldSpec(
      "model", .pathOrSection(.model), .required,
      "The data model: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, or a store that carries its model.",
      example: "../seeds/transit/Transit.xcdatamodeld"),
    FieldSpec(
      "store", .section(.store), .required, "The store to build.", example: "{ path: ../build/Transit.sqlite }"),
    FieldSpec(
      "import", .sections(.importStep), .none, "What to read into the store.",
      example: "[{ from: stops.csv.gz, entity: Stop, map: { name: stop_name } }]"),
    FieldSpec(
      "lookups", .namedSections(.lookup), .none, "Tables by name, for the function `lookup`.",
      example: "{ zones: { from: ../seeds/stops-1.csv.gz, key: code, value: name } }"),
    FieldSpec(
      "rejects", .section(.rejects), .none, "What happens to records that cannot be imported.",
      example: "{ file: ../build/rejects.csv, limit: 10 }"),
    FieldSpec(
      "export", .sections(.exportStep), .none, "What to write from the finished store.",
      example: "[{ entity: Stop, to: ../build/stops.csv }]"),
    FieldSpec(
      "expect", .sections(.storeExpectation), .none, "What must be so in the finished store.",
      example: "[{ entity: Stop, predicate: \"latitude == nil\", max: 0 }]"),
  ]

  static let modelFields = [
    FieldSpec(
      "path", .path, .required,
      "The `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, or a store that carries its model.",
      example: "../Transit.xcdatamodeld"),
    FieldSpec(
      "version", .text, .derived("the current version"),
      "The name of a model version inside the `.xcdatamodeld` or `.momd`.",
      example: "Transit 2"),
  ]

  static let storeFields = [
    FieldSpec("path", .path, .required, "The store's file.", example: "../build/Transit.sqlite"),
    FieldSpec(
      "journal", .choice(StoreSettings.Journal.words), .value(.text("delete")),
      "`delete`: one sealed file. `wal`: the file with its `-wal` and `-shm`.", example: "wal"),
    FieldSpec(
      "seed", .path, .none,
      """
      A store to copy first, with its sidecars and files of external data, and import into: one of a bundle, or an \
      empty one that the app made. It keeps its UUID and everything that the import does not change.
      """,
      example: "../seeds/Bundled.sqlite"),
    FieldSpec(
      "migrate", .boolean, .value(.boolean(false)),
      """
      A store that is copied first (`seed`, or `replace: never`) and was made with another version of the model is brought \
      to this one, in the copy: by an inferred mapping, by mapping models, or in several steps, as `seedbed migrate` does \
      it; see [MIGRATION.md](MIGRATION.md). Otherwise it ends the run.
      """, example: "true"),
    FieldSpec(
      "mapping", .path, .derived("the mapping models beside the model"),
      """
      A mapping model (`.xcmappingmodel` or `.cdm`) for `migrate`, or a folder that has some. One that names migration \
      policies ends the run: they are Swift code of the app's.
      """, example: "../Models/Shop1to2.xcmappingmodel"),
    FieldSpec(
      "history", .boolean, .value(.boolean(false)),
      """
      A new store keeps persistent history, as with `NSPersistentHistoryTrackingKey`: what this run inserts is its first \
      part, with the name of the pipeline file as author. Stores that are copied go on as they are. Nothing is written as finished \
      pages then, so it is slower. `seedbed history` shows it.
      """, example: "true"),
    FieldSpec(
      "replace", .choice(StoreSettings.Replace.words), .value(.text("always")),
      """
      `always`: build anew. `never`: import into the store that is there. `when-changed`: build anew when an input, \
      the model or the pipeline has changed since, or the store is not what the last run left (changed, cut short, without \
      its files of external data); of a store that stays, exports that are not what it gives, to the byte, are written anew.
      """, example: "when-changed"),
    FieldSpec(
      "write", .choice(StoreSettings.Write.words), .value(.text("beside")),
      """
      `beside`: into a copy of the store that is there, which then takes its place; a run that fails changes no byte. \
      No other program may use the store then: a lock, or a connection to a store in WAL mode, ends the run with 75. A connection \
      that is idle in rollback mode cannot be noticed, and its next write fails. `in-place`: into the store itself, in \
      one transaction of SQLite's, for stores that are in use: readers of a store in WAL mode go on reading, other writers \
      wait, and a run that fails is rolled back. Journal mode and all else stay. It implies `replace: never`, the store \
      must be there, and nothing is written as finished pages, so it is slower.
      """, example: "in-place"),
    FieldSpec(
      "uuid", .text, .derived("made from the contents of model, pipeline and inputs"), "The store's UUID.",
      example: "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"),
    FieldSpec(
      "framework", .integer(minimum: StoreSettings.frameworks.lowerBound),
      .derived("the newest known, \(StoreSettings.frameworks.upperBound)"),
      """
      The version of Core Data whose layout a new store has, as `NSPersistenceFrameworkVersion` says it: 754 is iOS 10, \
      866 iOS 12, 1044 iOS 14, 1251 iOS 16, 1523 iOS 26. A store that is copied first (`seed`, or `replace: never`) keeps \
      its own.
      """, example: "1251"),
    FieldSpec(
      "now", .text, .derived("the clock"),
      """
      What derived attributes of `now()` get, in ISO 8601; stated, the same inputs give the same bytes for models with \
      such attributes too, and for stores that keep history, whose times it is.
      """, example: "\"2026-01-31T12:00:00Z\""),
  ]

  static let importFields = [
    FieldSpec(
      "from", .pathOrSection(.source), .required,
      "The source: a file, a pattern with `*`, `?` and `[...]` for several, a member of a zip archive (`feed.zip!stops.txt`), or `-` for standard input; see [Compressed sources](#compressed-sources). FIFOs, devices and `/dev/stdin` are read once and kept in a file while the run lasts; see [Streams](#streams).",
      example: "../seeds/transit/stops.csv.gz"),
    FieldSpec("entity", .text, .required, "The entity whose objects the records are.", example: "Stop"),
    FieldSpec(
      "name", .text, .derived("the entity's name"), "What reports call the step.", example: "stops of the north"),
    FieldSpec(
      "match", .texts, .value(.texts([])),
      "The properties that tell whether an object exists already. Without it every record becomes a new object.",
      example: "[source, externalID]"),
    FieldSpec(
      "key", .expression, .none,
      """
      The record key: an identifier that the seed has and the model has not. References with `key` find the record's \
      object by it while the run lasts; it is not stored, and compared as text.
      """, example: "id"),
    FieldSpec(
      "strategy", .choice(ImportStep.Strategy.words), .value(.text("automatic")),
      """
      How rows are written: `find-or-create` through a context, `upsert` through a uniqueness constraint, `bulk` into \
      an empty entity, without looking for existing objects. `automatic` takes the fastest that means the same. \
      `restore` writes the records of `seedbed dump` into an empty entity exactly as they are, without asking what the \
      model demands of values; see [Restoring](DUMP.md#restoring).
      """, example: "upsert"),
    FieldSpec(
      "on-match", .choice(ImportStep.OnMatch.words), .value(.text("update")),
      """
      When the object exists: `update` what the record carries, `keep` the object as it is, `fail` (reject the \
      record), or `replace` the object: attributes that the record does not carry get their defaults, relationships that \
      the step maps are cleared, and those that it does not map stay; the same for nested objects without `match`.
      """, example: "keep"),
    FieldSpec(
      "duplicates", .choice(ImportStep.Duplicates.words), .value(.text("last")),
      "Which of several records with the same match keys wins; `reject` rejects all after the first.", example: "first"),
    FieldSpec(
      "where", .expression, .none, "Only records for which it is true are imported.", example: "\"pickup_type != 1\""),
    FieldSpec(
      "map", .properties, .required, "Where each property's value comes from.",
      example: "{ identifier: stop_id, name: trim(stop_name) }"),
    FieldSpec(
      "expect", .section(.stepExpectation), .none, "What must have become of the step's records.",
      example: "{ min: 1000, shrink: 20%, rejects: 0.5% }"),
  ]

  static let sourceFields = [
    FieldSpec(
      "path", .path, .required,
      "The file, pattern, member of a zip archive (`feed.zip!stops.txt`, also with patterns), or `-`.",
      example: "../seeds/stops-*.csv.gz"),
    FieldSpec(
      "format", .choice(SourceSettings.Format.words),
      .derived(
        "by the name: `.csv` and `.txt`, `.tsv` and `.tab`, `.json`, `.ndjson` and `.jsonl`, `.plist`, each also with `.gz` or `.zst`; of a zip archive by that of its only file"
      ),
      """
      How records are written. `plist` is a property list in XML or binary: an array of dictionaries, or one that \
      `pointer` leads to. Its dates are read as ISO 8601 writes them and its data as base64, so `dates` is left out; \
      integers, reals and booleans are as in JSON. Lines of records are their numbers, and rejects are written as NDJSON.
      """, example: "csv"),
    FieldSpec(
      "encoding", .choice(SourceSettings.Encoding.words), .value(.text("utf-8")),
      "How characters are written. `windows-1252`, which Western Windows programs call ANSI, is Latin-1 with the euro sign, quotes and dashes.",
      example: "windows-1252"),
    FieldSpec(
      "delimiter", .characters, .derived("what a first line `sep=;` says; otherwise `,`, and a tab for `tsv`"),
      """
      What stands between fields. Of several characters all must stand there, from left to right: in `a|||b` the \
      delimiter `||` ends the field `a`, and `|b` follows; one alone is data. The line `sep=;` that spreadsheets write \
      first is no record; where `delimiter` is stated, it is one.
      """, example: "\";\""),
    FieldSpec(
      "skip-lines", .integer(minimum: 0), .value(.integer(0)),
      """
      So many lines at the start of the file are passed over unread, such as a title above the header. Line numbers \
      count them.
      """, example: "2"),
    FieldSpec(
      "quote", .character(allowsNull: true), .value(.character(UInt8(ascii: "\""))),
      "What fields with delimiters or line ends are enclosed in; `null`: nothing is.", example: "\"'\""),
    FieldSpec(
      "escape", .character(allowsNull: true), .value(.null),
      "What stands before a quote inside a quoted field, and before itself there; before anything else, and outside quotes, it is data. `null`: the quote is doubled.",
      example: "\"\\\\\""),
    FieldSpec(
      "comment", .character(allowsNull: true), .value(.null), "What starts a line that is no record.", example: "\"#\""),
    FieldSpec(
      "header", .boolean, .value(.boolean(true)), "Whether the first record names the columns.", example: "false"),
    FieldSpec(
      "columns", .names, .derived("from the header"),
      "Names of the columns: instead of those in the header, which may then be repeated or empty, or where there is none. `null` is a column without a name, of which there may be many.",
      example: "[id, name]"),
    FieldSpec(
      "optional", .texts, .value(.texts([])),
      "Columns, or fields of JSON, that a feed need not have. Where it has none, what is mapped to it is absent: the property is left as it is. `optional: true` at a line of `map` says it for the columns of that line.",
      example: "[zone_id, platform_code]"),
    FieldSpec(
      "pointer", .text, .value(.text("")),
      "JSON Pointer to the array of records inside the document; empty for the document itself. A document that is an object is the only record where the empty pointer is stated, or where it has a field that `map` names and no array of objects besides what `map` names; elsewhere it is refused, and the message names its arrays.",
      example: "/venues"),
    FieldSpec(
      "keyed-by", .text, .none,
      """
      The records are not in an array: they are the members of the object to which `pointer` leads, such as \
      `{ "u1": { "name": "Ann" }, "u2": { "name": "Bob" } }`. The key of each becomes the field of this name, here with `u1` and \
      `u2`, and a value that is no object, as in `{ "EUR": 1.08 }`, becomes the field `value`. Records must have no field of that name themselves. Positions in a line and byte offsets \
      count with what this puts before a record.
      """, example: "id"),
    FieldSpec(
      "lenient", .boolean, .value(.boolean(false)),
      """
      JSON and NDJSON with comments (`// …`, `/* … */`) and with commas before a closing bracket or brace, as editors' \
      settings files have them. Rejected records are written without the comments.
      """, example: "true"),
    FieldSpec(
      "nulls", .texts, .derived("`[\"\"]` for CSV and TSV, `[]` for JSON"),
      "Texts that mean null. The empty text means an empty field without quotes; `[]` makes an empty field an empty text for String attributes.",
      example: "[\"\", \"NULL\"]"),
    FieldSpec(
      "dates", .text, .derived("ISO 8601"),
      "How dates are written: a Unicode date pattern, `epoch` (seconds since 1970), `epoch-ms`, or `iso8601`, which is the default.",
      example: "dd/MM/yyyy HH:mm"),
    FieldSpec(
      "time-zone", .text, .value(.text("UTC")),
      "The zone of dates that name none: IANA name (`CET` and the like among them) or offset.",
      example: "Europe/Berlin"),
  ]

  static let rejectFields = [
    FieldSpec(
      "file", .path, .none,
      "Where rejected records are written, beside the reason; mended, the file can be read by the same step, without its `pointer` where it has one. With several import steps each has a file of its own, with the step's number and name before the extension, which is that of the source's format; where the files of a step have different headers, there is one for each header, the second with `.2`. Byte offsets count in the text as UTF-8, after decompression. Without `file` they are counted and the first ones shown.",
      example: "../build/rejects.csv"),
    FieldSpec(
      "limit", .integer(minimum: 0), .derived("0, or no limit when `percent` is stated"),
      "More rejects than this fail the run.", example: "100"),
    FieldSpec(
      "percent", .number(0...100), .none, "More rejects than this percentage of the records read fail the run.",
      example: "0.1"),
  ]

  static let exportFields = [
    FieldSpec(
      "entity", .text, .required, "The entity whose objects are written, sub-entities included.", example: "Stop"),
    FieldSpec(
      "to", .path, .required,
      "The file, or `-` for standard output. In CSV null is nothing and the empty text is `\"\"`, so an import with default `nulls` reads the same values back; in a file of one column a null is an empty line, which is a record there.",
      example: "../build/stops.csv.gz"),
    FieldSpec(
      "format", .choice(ExportStep.Format.words),
      .derived("by the name: `.csv`, `.tsv`, `.tab`, `.ndjson` and `.jsonl`, each also with `.gz`"),
      "How objects are written; `tsv` is CSV with tabs. A name that means another format than the one written is refused.",
      example: "csv"),
    FieldSpec(
      "columns", .textsOrSections(.column), .derived("every stored attribute"),
      "Attributes, also through to-one relationships. Relationships themselves are none: the key of a to-one one is a column such as `parent.identifier`, and members of a to-many one are exported from their own entity.",
      example: "[identifier, { name: parent, value: parent.identifier }]"),
    FieldSpec(
      "order", .textsOrSections(.order), .derived("as the objects were created"),
      "Attributes to sort by; `-` in front sorts descending.", example: "[parent.identifier, -name]"),
    FieldSpec(
      "where", .text, .none,
      "Only objects for which this predicate holds are written, in the format language of `NSPredicate`: key paths, also through relationships, `==`, `CONTAINS[c]`, `IN`, `BETWEEN`, `ANY`, `SUBQUERY`. `seedbed lint` checks it against the model.",
      example: "\"parent == nil AND name BEGINSWITH 'A'\""),
    FieldSpec(
      "limit", .integer(minimum: 1), .none, "The most objects that are written: the first ones in the order.",
      example: "1000"),
    FieldSpec(
      "delimiter", .character(allowsNull: false), .derived("`,`; a tab for `tsv`"),
      "CSV: what stands between fields.", example: "\";\""),
    FieldSpec(
      "bom", .boolean, .value(.boolean(false)),
      "CSV: begin with a byte order mark, by which Excel knows that the text is UTF-8. Sources may have one.",
      example: "true"),
    FieldSpec(
      "safe-for-spreadsheets", .boolean, .value(.boolean(false)),
      "Guards text that a spreadsheet would run as a formula with an apostrophe.", example: "true"),
  ]

  static let lookupFields = [
    FieldSpec(
      "from", .pathOrSection(.source), .required, "The source of the table, as that of a step; no stream.",
      example: "../seeds/stops-1.csv.gz"),
    FieldSpec("key", .expression, .required, "What is looked for, compared as text.", example: "code"),
    FieldSpec("value", .expression, .required, "What is found.", example: "name"),
  ]

  static let columnFields = [
    FieldSpec("name", .text, .required, "The column's title, or JSON key.", example: "Parent station"),
    FieldSpec("value", .text, .required, "The attribute, also through to-one relationships.", example: "parent.name"),
  ]

  static let orderFields = [
    FieldSpec("by", .text, .required, "The attribute, also through to-one relationships.", example: "parent.name"),
    FieldSpec(
      "direction", .choice(["ascending", "descending"]), .value(.text("ascending")), "Which way to sort.",
      example: "descending"),
  ]
}
