import CoreDataLayout
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines
import PropertyLists

/// The listing of `inspect` for people.
enum InspectionText {
  static func text(_ subject: InspectionSubject) -> String {
    var sections: [[String]] = []
    if let store = subject.store {
      sections.append([
        (store.pageSize * store.pageCount).byteCountText + external(subject)
          + " · journal mode \(store.journalMode) · "
          + entities(store.entities.count)
      ])
      sections.append(entityTable(store, subject.model))
      if let model = subject.model {
        let rows = Dictionary(store.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        sections += model.entities.map { entity($0, row: rows[$0.name]) }
      } else {
        sections += store.entities.filter { $0.parent == 0 }.compactMap { columns(of: $0, store) }
      }
      sections += [otherTables(store), version(store), metadata(store), history(store)]
    } else if let file = subject.modelFile {
      sections.append([modelHeading(subject, file)])
      sections += file.model.entities.map { entity($0, row: nil) }
      sections.append(
        ["Model version"]
          + pairs([
            ("identifier", file.model.versionIdentifier), ("digest", file.model.versionHashesDigest),
            ("checksum", file.model.versionChecksum),
          ]))
    }
    if let file = subject.modelFile {
      sections.append(file.warnings.map { "warning: model: \($0.shortDescription)" })
    }
    sections.append(subject.notes.map { "note: \($0)" })
    if subject.model == nil && subject.notes.isEmpty {
      sections.append(["note: the store carries no model; --model shows properties instead of columns"])
    }
    let body = sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    return Terminal.bold(HarmlessText.of(subject.path)) + " · " + HarmlessText.of(body)
  }

  /// The files of external data beside a store, when there are any.
  private static func external(_ subject: InspectionSubject) -> String {
    let files = ExternalFiles(ofStoreAt: subject.path)
    if files.count == 0 { return "" }
    return
      " and \(files.bytes.byteCountText) in \(files.count.counted("file")) of external data"
  }

  private static func modelHeading(_ subject: InspectionSubject, _ file: ModelFile) -> String {
    let count = entities(file.model.entities.count)
    guard let versions = subject.versions, versions.names.count > 1 else {
      return "version \(file.versionName) · \(count)"
    }
    let others = versions.names.map { $0 + ($0 == versions.current ? " (current)" : "") }.joined(separator: ", ")
    return "version \(file.versionName) of \(others) · \(count)"
  }

  // MARK: - Entities

  private static func entityTable(_ store: StoreInspection, _ model: ManagedObjectModel?) -> [String] {
    let names = Dictionary(store.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    let properties = model == nil ? [] : ["attributes", "relationships"]
    return TextTable.lines(
      titles: ["number", "entity", "parent", "rows", "last key"] + properties,
      rows: store.entities.map { row in
        let cells = [
          String(row.number), row.name, names[row.parent] ?? "", row.count.map { $0.grouped } ?? "?",
          row.parent == 0 ? row.lastPrimaryKey.grouped : "",
        ]
        guard let model else { return cells }
        let entity = model[row.name]
        return cells + [
          entity.map { String($0.attributes.count) } ?? "", entity.map { String($0.relationships.count) } ?? "",
        ]
      }, leftAligned: [1, 2])
  }

  /// A block for an entity: its own properties, indexes, constraints and hash. Inherited ones are in its parent's
  /// block.
  private static func entity(_ entity: Entity, row: StoreInspection.EntityRow?) -> [String] {
    let own = entity.definition
    var facts: [String] = []
    if let row {
      facts.append("number \(row.number)")
      if let table = row.table { facts.append("table \(table)") }
      if let count = row.count { facts.append(rowCount(count)) }
    }
    if entity.isAbstract { facts.append("abstract") }
    if let parent = entity.superentity { facts.append("inherits from \(parent.name)") }
    if let name = own.managedObjectClassName, !name.isEmpty { facts.append("class \(name)") }
    if let modifier = own.versionHashModifier { facts.append("version hash modifier \(modifier)") }
    if let name = own.renamingIdentifier { facts.append("renamed from \(name)") }
    let unique = Set(own.uniquenessConstraints.filter { $0.count == 1 }.joined())
    var lines: [[String]] = []
    for attribute in own.attributes.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      lines += attributeLines(attribute, under: "", isUnique: unique.contains(attribute.name))
    }
    for relationship in own.relationships.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      lines.append(
        [relationship.name, "→ " + relationship.destinationEntityName, PropertyText.details(relationship)])
    }
    for property in own.fetchedProperties {
      let predicate = property.fetchRequest.predicate.map { " where \($0)" } ?? ""
      lines.append([property.name, "fetches", property.fetchRequest.entityName + predicate])
    }
    for constraint in own.uniquenessConstraints where constraint.count > 1 {
      lines.append(["unique", "", constraint.joined(separator: ", ")])
    }
    for index in own.fetchIndexes { lines.append([index.name, "index", PropertyText.details(index)]) }
    for index in own.compoundIndexes { lines.append(["compound index", "", index.joined(separator: ", ")]) }
    lines.append(["version hash", "", entity.versionHash.hexadecimal])
    return [entity.name + (facts.isEmpty ? "" : " · " + facts.joined(separator: " · "))] + table(lines)
      + entity.unconfirmedHashReasons.map { "  note: the hash rests on an unconfirmed rule: \($0)" }
  }

  private static func attributeLines(
    _ attribute: AttributeDefinition, under prefix: String, isUnique: Bool
  ) -> [[String]] {
    let name = prefix + attribute.name
    return [[name, attribute.type.name, PropertyText.details(attribute, isUnique: isUnique)]]
      + (attribute.composite?.elements ?? []).sorted { $0.name.precedesByCodePoint($1.name) }
      .flatMap { attributeLines($0, under: name + ".", isUnique: false) }
  }

  // MARK: - Tables

  /// The description of an entity by its table, where there is no model.
  private static func columns(of row: StoreInspection.EntityRow, _ store: StoreInspection) -> [String]? {
    guard let table = store.tables.first(where: { $0.name == row.table }) else { return nil }
    return ["\(row.name) · table \(table.name)"] + Self.table(table.columns.map { [$0.name, $0.type] })
      + Self.table(
        store.indexes.filter { $0.table == table.name }.map { ["index \($0.name)", $0.definition ?? ""] })
  }

  /// Join tables, history, and what others put there.
  private static func otherTables(_ store: StoreInspection) -> [String] {
    let known = Set(store.entities.compactMap(\.table))
    let others = store.tables.filter { !known.contains($0.name) }
    guard !others.isEmpty else { return [] }
    return ["Other tables"]
      + table(
        others.map { table in
          [
            table.name, table.rowCount.map(rowCount) ?? "not an ordinary table",
            table.columns.map(\.name).joined(separator: ", "),
          ]
        })
  }

  // MARK: - Metadata and history

  private static func version(_ store: StoreInspection) -> [String] {
    let metadata = store.metadata
    let framework = metadata.frameworkVersion.map { "\($0), \(FrameworkRelease.name(ofFrameworkVersion: $0))" }
    let cache = store.modelCacheBytes > 0 ? store.modelCacheBytes.byteCountText : "none"
    return ["Model version"]
      + pairs([
        ("identifiers", metadata.versionIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")),
        ("digest", metadata.versionHashesDigest ?? "none"), ("checksum", metadata.versionChecksum ?? "none"),
        ("framework version", framework ?? "unknown"), ("cached model", cache),
      ])
  }

  private static func metadata(_ store: StoreInspection) -> [String] {
    let values = store.metadata.values
    return ["Metadata"]
      + pairs(
        [("Z_UUID", store.metadata.uuid)]
          + values.keys.sorted().map { key in
            guard key != "NSStoreModelVersionHashes", let value = values[key] else {
              return (key, "\(store.metadata.entityVersionHashesByName.count) version hashes")
            }
            return (key, value.stringValue ?? InspectionJSON.value(value).text(isIndented: false))
          })
  }

  private static func history(_ store: StoreInspection) -> [String] {
    guard let history = store.history else { return ["Persistent history", "  not kept"] }
    func text(_ transaction: HistoryRange.Transaction?) -> String {
      transaction.map { "\($0.number), \(DateText.iso8601($0.date))" } ?? "none"
    }
    let changes = [
      (history.insertCount, "inserted"), (history.updateCount, "updated"), (history.deleteCount, "deleted"),
      (history.otherCount, "of an unknown kind"),
    ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    return ["Persistent history"]
      + pairs([
        ("transactions", history.transactionCount.grouped), ("first", text(history.first)),
        ("last", text(history.last)), ("changes", changes.isEmpty ? "none" : changes.joined(separator: ", ")),
        ("authors", history.authors.isEmpty ? "none" : history.authors.joined(separator: ", ")),
        ("processes", history.processes.isEmpty ? "none" : history.processes.joined(separator: ", ")),
      ])
  }

  // MARK: - Form

  private static func entities(_ count: Int) -> String { count.counted("entity", "entities") }

  private static func rowCount(_ count: Int) -> String { count.counted("row") }

  private static func pairs(_ pairs: [(String, String)]) -> [String] { table(pairs.map { [$0.0, $0.1] }) }

  /// Rows of cells in columns, further in.
  private static func table(_ rows: [[String]]) -> [String] {
    guard let first = rows.first else { return [] }
    let lines = TextTable.lines(titles: first, rows: Array(rows.dropFirst()), leftAligned: Set(first.indices))
    return lines.map { "  " + $0 }
  }
}
