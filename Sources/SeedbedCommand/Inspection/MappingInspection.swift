import ImportEngine
import ModelFiles
import ObjectModel

/// The listing of `inspect` for a mapping model.
struct MappingInspection {
  let path: String
  let file: MappingModelFile

  /// Whether the path is that of a mapping model, by its name.
  static func isMappingModel(_ path: String) -> Bool { MappingModelReader.isMappingModel(path: path) }

  init(path: String) throws(ModelError) {
    self.path = path
    file = try MappingModelReader.read(path: path)
  }

  // MARK: - Text

  var text: String {
    let mappings = file.mappingModel.entityMappings
    var sections = [[mappings.count.counted("entity mapping")]]
    if let source = file.source, let destination = file.destination {
      sections.append([
        "from \(source.path), \(source.model.entities.count.counted("entity", "entities"))",
        "to   \(destination.path), \(destination.model.entities.count.counted("entity", "entities"))",
      ])
    }
    for (index, mapping) in mappings.enumerated() { sections.append(Self.lines(of: mapping, number: index + 1)) }
    sections.append(
      file.warnings.map { "warning: mapping model: \($0.shortDescription)" + ($0.hint.map { " (\($0))" } ?? "") })
    let body = sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    return Terminal.bold(HarmlessText.of(path)) + " · " + HarmlessText.of(body)
  }

  private static func lines(of mapping: EntityMapping, number: Int) -> [String] {
    var facts = ["\(number) \(mapping.name)", "\(mapping.mappingType)"]
    facts.append("\(mapping.sourceEntityName ?? "nothing") → \(mapping.destinationEntityName ?? "nothing")")
    if let policy = mapping.entityMigrationPolicyClassName { facts.append("policy \(policy)") }
    var rows: [[String]] = []
    if let source = mapping.sourceExpression { rows.append(["source", "", source]) }
    for (kind, properties) in [
      ("attribute", mapping.attributeMappings), ("relationship", mapping.relationshipMappings),
    ] {
      for property in properties { rows.append([property.name, kind, property.valueExpression ?? "left as it is"]) }
    }
    for (key, value) in mapping.userInfo.sorted(by: { $0.key.precedesByCodePoint($1.key) }) {
      rows.append([key, "user info", value])
    }
    if let hash = mapping.sourceEntityVersionHash {
      rows.append(["source hash", "", hash.hexadecimal])
    }
    if let hash = mapping.destinationEntityVersionHash {
      rows.append(["destination hash", "", hash.hexadecimal])
    }
    let titles = ["property", "kind", "value"]
    let table = TextTable.lines(titles: titles, rows: rows, leftAligned: Set(titles.indices))
    return [facts.joined(separator: " · ")] + table.map { "  " + $0 }
  }

  // MARK: - JSON

  /// Keys do not change between versions; new ones may come.
  var json: String {
    func model(_ model: MappingModelFile.EmbeddedModel?) -> JSONValue {
      model.map {
        .object([
          ("path", .string($0.path)),
          (
            "versionHashes",
            .object($0.model.entities.map { ($0.name, .string($0.versionHash.hexadecimal)) })
          ),
        ])
      } ?? .null
    }
    return JSONValue.object([
      ("path", .string(path)), ("source", model(file.source)), ("destination", model(file.destination)),
      ("entityMappings", .array(file.mappingModel.entityMappings.map { Self.json(of: $0) })),
      ("notes", .strings(file.warnings.map(\.shortDescription))),
    ]).text(isIndented: true)
  }

  private static func json(of mapping: EntityMapping) -> JSONValue {
    func properties(_ properties: [PropertyMapping]) -> JSONValue {
      .array(properties.map { .object([("name", .string($0.name)), ("value", .orNull($0.valueExpression))]) })
    }
    return .object([
      ("name", .string(mapping.name)), ("type", .string("\(mapping.mappingType)")),
      ("sourceEntity", .orNull(mapping.sourceEntityName)),
      ("destinationEntity", .orNull(mapping.destinationEntityName)),
      ("sourceVersionHash", .orNull(mapping.sourceEntityVersionHash.map { $0.hexadecimal })),
      ("destinationVersionHash", .orNull(mapping.destinationEntityVersionHash.map { $0.hexadecimal })),
      ("policy", .orNull(mapping.entityMigrationPolicyClassName)), ("source", .orNull(mapping.sourceExpression)),
      ("attributes", properties(mapping.attributeMappings)),
      ("relationships", properties(mapping.relationshipMappings)),
      (
        "userInfo",
        .object(
          mapping.userInfo.sorted { $0.key.precedesByCodePoint($1.key) }.map { ($0.key, .string($0.value)) })
      ),
    ])
  }
}
