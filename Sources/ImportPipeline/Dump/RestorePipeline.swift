import ObjectModel

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
      "store: { path: \(Self.quoted(storeName)) }",
      plan.parts.isEmpty ? "import: []" : "import:",
    ]
    for part in plan.parts {
      lines += [
        "  - from: \(part.fileName)", "    entity: \(Self.name(part.entity.name))",
        "    key: \(Self.field(plan.keyField))", "    strategy: restore",
      ]
      let entries = map(of: part)
      lines += entries.isEmpty ? ["    map: {}"] : ["    map:"] + entries.map { "      " + $0 }
    }
    lines.append("rejects: { limit: 0 }")
    return lines.joined(separator: "\n") + "\n"
  }

  private var modelText: String {
    guard let version = model.version else { return Self.quoted(model.name) }
    return "{ path: \(Self.quoted(model.name)), version: \(Self.quoted(version)) }"
  }

  private func map(of part: DumpPlan.Part) -> [String] {
    part.leaves.map { leaf in
      let field = leaf.attribute.type == .transformable ? leaf.names + ["base64"] : leaf.names
      return "\(Self.name(leaf.path)): \(Self.field(field.joined(separator: ".")))"
    }
      + (part.toOne + part.lists).map { relationship in
        "\(Self.name(relationship.name)): { key: \(Self.field(relationship.name)) }"
      }
  }

  /// A field as an expression: its path, or a JSON Pointer where the path would be read as something else.
  private static func field(_ path: String) -> String {
    isPlain(path) ? path : "/" + path.split(separator: ".").joined(separator: "/")
  }

  private static func name(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

  /// Whether YAML and the expressions take the text for a name.
  private static func isPlain(_ text: String) -> Bool {
    !["true", "false", "null", "nan", "inf"].contains(text.lowercased())
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || (48...57).contains(byte)
          || (97...122).contains(byte | 0x20)
      }
  }

  /// In double quotes, with variables of the environment kept out.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case "$": quoted += "$$"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\x" + (digits.count < 2 ? "0" : "") + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
