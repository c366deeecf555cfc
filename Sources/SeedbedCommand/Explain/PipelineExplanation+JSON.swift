import ImportEngine
import Pipelines

extension PipelineExplanation {
  /// The explanation as JSON, for programs.
  var json: JSONValue {
    .object([
      ("pipeline", .string(pipeline)), ("store", store.map { .string($0) } ?? .null),
      ("notes", .array(notes.map { .string($0) })), ("parts", .array(parts.map(\.json))),
    ])
  }
}

extension PipelineExplanation.Part {
  fileprivate var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("name", .string(name)), ("entity", entity.map { .string($0) } ?? .null),
      ("strategy", strategy.map { .string($0.rawValue) } ?? .null), ("reason", reason.map { .string($0) } ?? .null),
      ("writesPages", .boolean(writesPages)), ("notes", .array(notes.map { .string($0) })),
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
