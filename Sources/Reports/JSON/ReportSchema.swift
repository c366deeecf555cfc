import Pipelines

/// The JSON Schema of the report that `seedbed run --json` and `--report` write.
package enum ReportSchema {
  /// The schema as text.
  package static func json() -> String {
    document("Report of a run of Seedbed", members(object(report)), definitions: definitions)
  }

  static func document(
    _ title: String, _ schema: [(String, JSONValue)], definitions: [(String, JSONValue)]
  ) -> String {
    JSONValue.object(
      [
        ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(title)),
        (
          "description",
          .string(
            "Keys do not change between versions; new ones may come, so readers pass over those they do not know.")
        ),
      ] + schema + [("$defs", .object(definitions))]
    ).text(isIndented: true) + "\n"
  }

  typealias Property = (name: String, schema: JSONValue)

  private static let report: [Property] = [
    ("seedbedReport", described(.object([("const", .integer(1))]), "The form of the report.")),
    ("run", described(type("string"), "A UUID of this run, as in its log lines.")),
    ("startedAt", described(type("string"), "ISO 8601, in UTC.")),
    ("endedAt", described(type("string"), "ISO 8601, in UTC.")),
    (
      "result",
      described(
        .object([("enum", .strings(RunReport.Result.allCases.map(\.rawValue)))]),
        "built: a new store; updated: the store that was there was imported into; unchanged: and nothing in it was new; "
          + "up-to-date: neither the pipeline, the model nor a source has changed; dry-run; failed: see error.")
    ),
    (
      "exitCode",
      described(type("integer"), "0: done; 1: done, with rejects inside the limit; otherwise why it failed.")
    ),
    ("pipeline", described(type("string"), "The pipeline file as it was named.")),
    (
      "store",
      object([
        ("path", described(type("string", "null"), "Null where the pipeline could not be read.")),
        ("uuid", described(type("string", "null"), "Null of a run that failed.")),
        ("bytes", described(type("integer"), "Of the store, its sidecars and its files of external data.")),
        ("externalFiles", described(type("integer"), "Files of external data beside the store.")),
        ("externalBytes", described(type("integer"), "Their part of bytes.")),
      ])
    ),
    ("steps", described(array(reference("step")), "Of a run that failed: those that had begun, as far as they came.")),
    ("total", reference("counts")),
    (
      "ownersUpdated",
      described(type("integer"), "Objects that no record changed, with other members than before.")
    ),
    ("exports", array(reference("export"))),
    ("stages", described(array(reference("stage")), "Where the time outside of the steps went.")),
    ("work", described(reference("work"), "What the run asked of its store, exports included.")),
    ("expectations", described(type("integer"), "How many expectations were met.")),
    ("rejects", described(array(reference("reject")), "The first ones, at most 20.")),
    ("rejectGroups", described(array(reference("rejectGroup")), "All rejects, by their reason.")),
    ("warnings", array(type("string"))),
    ("rejectFiles", array(type("string"))),
    ("error", .object([("anyOf", .array([reference("error"), type("null")]))])),
    ("durationSeconds", type("number")),
    ("peakMemoryBytes", type("integer")),
    ("allocations", described(type("integer", "null"), "Null unless something counts them.")),
  ]

  /// The requests of steps that write through objects: the names in the report, with their descriptions.
  static let contextWork = [
    ("requests", "Times that the store was asked for objects."), ("fetches", "Fetches and counts."),
    ("faultsFired", "Objects whose values were asked for while they were faults."),
    ("relationshipFaultsFired", "To-many relationships that were."),
    ("cacheMisses", "Fired faults whose rows the store had to be asked for."),
    ("saves", "Saves that reached the store."),
  ]

  /// The requests that every store counts.
  static let storeWork: [Property] = [
    ("statements", described(type("integer"), "SQL statements that ran.")),
    ("rows", described(type("integer"), "Rows that they gave.")),
    ("pages", described(type("integer"), "Pages of tables and indexes that were written past SQL.")),
    ("pageRows", described(type("integer"), "Rows in them.")),
  ]

  static let definitions: [(String, JSONValue)] = [
    (
      "work",
      object(
        storeWork + contextWork.map { name, text in (name, described(reference("workPart"), text)) })
    ),
    ("workPart", object([("count", type("integer")), ("seconds", type("number"))])),
    (
      "counts",
      object(
        [("read", described(type("integer"), "Records read: the sum of the others."))]
          + Outcome.allCases.map { ($0.rawValue, type("integer")) })
    ),
    (
      "step",
      object([
        ("name", type("string")), ("entity", type("string")), ("source", type("string")),
        (
          "strategy",
          .object([("enum", .strings(ImportStep.Strategy.allCases.map(\.rawValue)))])
        ),
        ("reason", described(type("string"), "Why this strategy.")), ("counts", reference("counts")),
        ("nestedInserted", type("integer")), ("nestedUpdated", type("integer")),
        ("nestedDeleted", type("integer")),
        (
          "notes",
          array(object([("file", type("string")), ("reason", type("string")), ("text", type("string"))]))
        ),
        ("durationSeconds", type("number")), ("readings", type("integer")), ("stages", array(reference("stage"))),
      ])
    ),
    (
      "stage",
      object([
        ("stage", type("string")), ("workers", type("integer")), ("busySeconds", type("number")),
        ("inputWaitSeconds", type("number")), ("outputWaitSeconds", type("number")), ("rows", type("integer")),
        ("bytes", type("integer")), ("allocations", type("integer", "null")),
      ])
    ),
    (
      "export",
      object([
        ("entity", type("string")), ("path", described(type("string"), "- is standard output.")),
        ("rows", type("integer")), ("durationSeconds", type("number")),
      ])
    ),
    (
      "reject",
      object(
        [
          ("file", type("string")), ("line", type("integer")), ("column", type("integer")),
          ("byteOffset", type("integer")), ("entity", type("string")), ("property", type("string")),
          ("code", type("string")), ("value", type("string")), ("message", type("string")), ("hint", type("string")),
        ], optional: [("pointer", described(type("string"), "JSON: the JSON Pointer of the refused value."))])
    ),
    (
      "rejectGroup",
      object([
        ("code", type("string")), ("entity", type("string")), ("property", type("string")),
        ("count", type("integer")), ("first", reference("reject")),
      ])
    ),
    (
      "error",
      object([
        ("code", described(type("string"), "Does not change between versions.")), ("message", type("string")),
        ("hint", type("string", "null")), ("position", reference("position")),
        (
          "problems",
          described(
            array(reference("problem")), "Every mistake in the pipeline file, or every expectation that is not met.")
        ),
      ])
    ),
    (
      "problem",
      object([
        ("code", type("string")), ("message", type("string")), ("hint", type("string", "null")),
        ("position", reference("position")),
      ])
    ),
    (
      "position",
      .object([
        (
          "anyOf",
          .array([
            object([
              ("file", type("string")), ("line", type("integer", "null")), ("column", type("integer", "null")),
              ("byteOffset", type("integer", "null")),
            ]), type("null"),
          ])
        )
      ])
    ),
  ]

  // MARK: - Parts

  static func type(_ names: String...) -> JSONValue {
    .object([("type", names.count == 1 ? .string(names[0]) : .strings(names))])
  }

  static func reference(_ name: String) -> JSONValue { .object([("$ref", .string("#/$defs/\(name)"))]) }

  static func array(_ items: JSONValue) -> JSONValue {
    .object([("type", .string("array")), ("items", items)])
  }

  static func object(_ required: [Property], optional: [Property] = []) -> JSONValue {
    .object([
      ("type", .string("object")), ("properties", .object((required + optional).map { ($0.name, $0.schema) })),
      ("required", .strings(required.map(\.name))),
    ])
  }

  static func described(_ schema: JSONValue, _ text: String) -> JSONValue {
    .object([("description", .string(text))] + members(schema))
  }

  static func members(_ value: JSONValue) -> [(String, JSONValue)] {
    if case .object(let members) = value { members } else { [] }
  }
}
