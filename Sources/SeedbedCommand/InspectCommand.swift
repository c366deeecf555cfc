import ArgumentParser
import ImportPipeline
import SQLiteStore

/// `seedbed inspect`
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows a store's entities, counts and metadata. No model is needed.")

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let inspection = try StoreInspection.read(path: store)
      Terminal.print(json ? Self.json(inspection, path: store) : Self.text(inspection, path: store))
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  private static func text(_ inspection: StoreInspection, path: String) -> String {
    let metadata = inspection.metadata
    var lines = [
      Terminal.bold(path) + " · " + Format.bytes(inspection.pageSize * inspection.pageCount)
        + " · journal mode \(inspection.journalMode)", "",
    ]
    let names = Dictionary(inspection.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    lines += TextTable.lines(
      titles: ["number", "entity", "parent", "rows", "last key"],
      rows: inspection.entities.map { entity in
        [
          String(entity.number), entity.name, names[entity.parent] ?? "",
          entity.count.map { Format.grouped($0) } ?? "?",
          entity.parent == 0 ? Format.grouped(entity.lastPrimaryKey) : "",
        ]
      }, leftAligned: [1, 2])
    lines += [
      "", "uuid                  \(metadata.uuid)",
      "framework version     \(metadata.frameworkVersion.map(String.init) ?? "unknown")",
      "version identifiers   \(metadata.versionIdentifiers.joined(separator: ", "))",
      "cached model          \(inspection.modelCacheBytes > 0 ? Format.bytes(inspection.modelCacheBytes) : "none")",
      "persistent history    \(inspection.hasHistory ? "yes" : "no")",
    ]
    if let version = metadata.seedVersion { lines.append("seed version          \(version)") }
    let known = Set(StoreMetadata.coreDataKeys)
    for key in metadata.values.keys.sorted() where !known.contains(key) { lines.append("metadata key          \(key)") }
    return lines.joined(separator: "\n")
  }

  private static func json(_ inspection: StoreInspection, path: String) -> String {
    let metadata = inspection.metadata
    return JSONValue.object([
      ("path", .string(path)), ("uuid", .string(metadata.uuid)),
      ("bytes", .integer(inspection.pageSize * inspection.pageCount)),
      ("journalMode", .string(inspection.journalMode)),
      ("frameworkVersion", metadata.frameworkVersion.map { .integer($0) } ?? .null),
      ("versionIdentifiers", .array(metadata.versionIdentifiers.map { .string($0) })),
      ("seedVersion", metadata.seedVersion.map { .integer($0) } ?? .null),
      ("modelCacheBytes", .integer(inspection.modelCacheBytes)), ("hasHistory", .boolean(inspection.hasHistory)),
      ("metadataKeys", .array(metadata.values.keys.sorted().map { .string($0) })),
      (
        "entities",
        .array(
          inspection.entities.map { entity in
            .object([
              ("number", .integer(entity.number)), ("name", .string(entity.name)),
              ("parent", entity.parent == 0 ? .null : .integer(entity.parent)),
              ("rows", entity.count.map { .integer($0) } ?? .null),
              ("lastPrimaryKey", .integer(entity.lastPrimaryKey)),
            ])
          })
      ),
    ]).text(isIndented: true)
  }
}
