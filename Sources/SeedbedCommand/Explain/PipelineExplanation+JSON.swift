import ImportEngine
import Pipelines

extension PipelineExplanation {
  /// The explanation as JSON, for programs.
  var json: JSONValue {
    .object([
      ("pipeline", .string(pipeline)), ("store", .orNull(store)),
      ("notes", .strings(notes)), ("parts", .array(parts.map(\.json))),
    ])
  }
}

extension PipelineExplanation.Part {
  fileprivate var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("name", .string(name)), ("entity", .orNull(entity)),
      ("strategy", .orNull(strategy?.rawValue)), ("reason", .orNull(reason)),
      ("writesPages", .boolean(writesPages)), ("notes", .strings(notes)),
      ("lookups", .array(lookups.map(\.json))),
    ])
  }
}

extension PipelineExplanation.Lookup {
  fileprivate var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("purpose", .string(purpose)), ("readsWholeTable", .boolean(readsWholeTable)),
      ("fetch", fetch.json),
    ])
  }
}
