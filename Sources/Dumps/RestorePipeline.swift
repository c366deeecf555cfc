import ObjectModel
import Pipelines

/// The pipeline file that builds a store from a dump.
struct RestorePipeline {
  static let fileName = "restore.yaml"
  static let firstLine =
    "# Written by seedbed dump. `seedbed run \(fileName)` builds the store anew, beside this file."

  let plan: DumpPlan
  let model: DumpedModel
  /// Name of the store to build, beside the pipeline.
  let storeName: String
  /// Entries of `left-out.ndjson`.
  let leftOutCount: Int

  /// The file's text.
  var text: String {
    var lines = [
      Self.firstLine
    ]
    if leftOutCount > 0 {
      lines.append(
        "# \(LeftOutFile.fileName) has \(leftOutCount) reference(s) and value(s) of the store that lead nowhere: not restored."
      )
    }
    lines += [
      "model: \(modelText)",
      "store: { path: \(YAMLText.quoted(storeName)) }",
      plan.parts.isEmpty ? "import: []" : "import:",
    ]
    for part in plan.parts {
      lines += [
        "  - from: \(part.fileName)", "    entity: \(YAMLText.name(part.entity.name))",
        "    key: \(Self.field(plan.keyField))", "    strategy: restore",
      ]
      let entries = map(of: part)
      lines += entries.isEmpty ? ["    map: {}"] : ["    map:"] + entries.map { "      " + $0 }
    }
    lines.append("rejects: { limit: 0 }")
    return lines.joined(separator: "\n") + "\n"
  }

  private var modelText: String {
    guard let version = model.version else { return YAMLText.quoted(model.name) }
    return "{ path: \(YAMLText.quoted(model.name)), version: \(YAMLText.quoted(version)) }"
  }

  private func map(of part: DumpPlan.Part) -> [String] {
    part.leaves.map { leaf in
      let field = leaf.attribute.type == .transformable ? leaf.names + ["base64"] : leaf.names
      return "\(YAMLText.name(leaf.path)): \(Self.field(field.joined(separator: ".")))"
    }
      + (part.toOne + part.lists).map { relationship in
        "\(YAMLText.name(relationship.name)): { key: \(Self.field(relationship.name)) }"
      }
  }

  /// A field as an expression: its path, or a JSON Pointer where the path would be read as something else.
  private static func field(_ path: String) -> String {
    YAMLText.isPlain(path) ? path : "/" + path.split(separator: ".").joined(separator: "/")
  }
}
