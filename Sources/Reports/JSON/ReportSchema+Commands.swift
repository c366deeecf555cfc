import Pipelines

// The reports of commands that are no runs.
extension ReportSchema {
  /// The JSON Schema of what `export` and `query` write with `--json`, as text.
  package static func exports() -> String {
    document(
      "Report of an export or a query of Seedbed",
      object(
        [
          ("store", type("string")), ("entity", type("string")),
          ("output", described(type("string"), "- is standard output.")),
          ("rows", described(type("integer"), "Objects that were written.")),
          ("durationSeconds", type("number")),
          ("work", described(reference("storeWork"), "What was asked of the store.")),
        ],
        optional: [
          ("deleted", described(type("integer"), "With --changed-since: objects that were deleted.")),
          ("token", described(type("string"), "With --changed-since: what comes later has changed since then.")),
        ]))
  }

  /// The JSON Schema of what `migrate` writes with `--json`, as text.
  package static func migrations() -> String {
    document(
      "Report of a migration of Seedbed",
      object(
        [
          ("store", type("string")), ("from", described(type("string", "null"), "Null where the version has no name.")),
          ("to", type("string", "null")), ("dryRun", type("boolean")), ("migrated", type("boolean")),
          ("warnings", array(type("string"))),
          (
            "work",
            described(
              .object([("anyOf", .array([reference("work"), type("null")]))]),
              "What the migration asked of its stores: statements and pages of inferred steps, objects too of those by mapping "
                + "models. Null in a dry run, and where there was an error.")
          ),
          (
            "error",
            described(
              .object([("anyOf", .array([reference("error"), type("null")]))]),
              "What it ended with; in a dry run, what it would end with apart from what the data break.")
          ),
        ],
        optional: [
          ("steps", described(array(reference("migrationStep")), "Where it is not one step that is done in place."))
        ] + plan + [
          ("mergedHierarchies", array(type("string"))),
          ("refusal", described(type("string", "null"), "In a dry run: what the migration would end with.")),
        ] + resolution), errors: ["error", "position", "problem"])
  }

  /// The schema of one inferred step.
  private static let plan: [Property] = [
    ("entities", array(reference("migratedEntity"))), ("tables", array(reference("migratedTable"))),
    ("conditions", array(reference("condition"))), ("losses", array(type("string"))),
    ("droppedTriggers", array(type("string"))), ("droppedIndexes", array(type("string"))),
    ("droppedColumns", array(type("string"))), ("droppedRows", array(type("string"))),
    ("brokenViews", array(type("string"))),
  ]

  private static let resolution: [Property] = [
    (
      "removedDuplicates", described(type("object"), "Objects that went because others had the same values, by entity.")
    ),
    ("removedHistoryChanges", described(type("integer"), "Changes of the history that went with their entities.")),
  ]

  private static let commandDefinitions: [(String, JSONValue)] = [
    ("storeWork", object(storeWork)),
    (
      "migrationStep",
      object(
        [
          ("from", type("string")), ("to", type("string")),
          ("mappingModel", described(type("string", "null"), "Null where the step is inferred.")),
        ], optional: plan + resolution)
    ),
    (
      "migratedEntity",
      object([
        ("source", type("string", "null")), ("destination", type("string", "null")), ("type", type("string")),
        ("rows", type("integer", "null")), ("primaryKeyOffset", type("integer")), ("filtered", type("boolean")),
      ])
    ),
    (
      "migratedTable",
      object([
        ("name", type("string")), ("sources", array(type("string"))), ("work", type("string")),
        ("appendedColumns", array(type("string"))),
      ])
    ),
    (
      "condition",
      object([
        ("kind", type("string")), ("entity", type("string")), ("property", type("string", "null")),
        ("count", type("integer")), ("examples", array(type("string"))), ("message", type("string")),
      ])
    ),
  ]

  /// - Parameter errors: the definitions of errors, where the report has them.
  private static func document(_ title: String, _ schema: JSONValue, errors: [String] = []) -> String {
    let shared = definitions.filter { (["work", "workPart"] + errors).contains($0.0) }
    return document(title, members(schema), definitions: shared + commandDefinitions)
  }
}
