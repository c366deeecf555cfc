import CoreDataLayout
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines
import PropertyLists

/// The listing of `inspect` as JSON. Keys do not change between versions; new ones may come.
enum InspectionJSON {
  static func text(_ subject: InspectionSubject) -> String {
    var members: [(String, JSONValue)] = [("path", .string(subject.path))]
    if let store = subject.store {
      let external = ExternalFiles(ofStoreAt: subject.path)
      members += [("externalFiles", .integer(external.count)), ("externalBytes", .integer(external.bytes))]
      members += storeMembers(store, subject.model)
    }
    if let file = subject.modelFile { members.append(("model", model(file, subject.versions))) }
    if subject.store == nil, let model = subject.model {
      members.append(("entities", .array(model.entities.map { .object(ModelJSON.members(of: $0)) })))
    }
    members.append(("notes", .strings(subject.notes)))
    return JSONValue.object(members).text(isIndented: true)
  }

  private static func storeMembers(_ store: StoreInspection, _ model: ManagedObjectModel?) -> [(String, JSONValue)] {
    let metadata = store.metadata
    let version = metadata.frameworkVersion
    return [
      ("uuid", .string(metadata.uuid)), ("bytes", .integer(store.pageSize * store.pageCount)),
      ("journalMode", .string(store.journalMode)),
      ("frameworkVersion", .orNull(version)),
      ("frameworkRelease", version.map { .string(FrameworkRelease.name(ofFrameworkVersion: $0)) } ?? .null),
      ("versionIdentifiers", .strings(metadata.versionIdentifiers)),
      (
        "versionHashes",
        .object(
          metadata.entityVersionHashesByName.sorted { $0.key.precedesByCodePoint($1.key) }
            .map { ($0.key, .string($0.value.hexadecimal)) })
      ),
      ("versionHashesDigest", .orNull(metadata.versionHashesDigest)),
      ("versionChecksum", .orNull(metadata.versionChecksum)),
      ("seedVersion", .orNull(metadata.seedVersion)),
      ("modelCacheBytes", .integer(store.modelCacheBytes)), ("hasHistory", .boolean(store.hasHistory)),
      ("history", store.history.map(history) ?? .null),
      ("metadataKeys", .array(metadata.values.keys.sorted().map { .string($0) })),
      ("metadata", value(.dictionary(metadata.values))),
      ("entities", .array(store.entities.map { .object(entity($0, model?[$0.name])) })),
      ("tables", .array(store.tables.map(table))),
      (
        "indexes",
        .array(
          store.indexes.map { index in
            .object([
              ("name", .string(index.name)), ("table", .string(index.table)),
              ("sql", .orNull(index.definition)),
            ])
          })
      ),
    ]
  }

  private static func entity(_ row: StoreInspection.EntityRow, _ entity: Entity?) -> [(String, JSONValue)] {
    let members: [(String, JSONValue)] = [
      ("number", .integer(row.number)), ("name", .string(row.name)),
      ("parent", row.parent == 0 ? .null : .integer(row.parent)), ("rows", .orNull(row.count)),
      ("lastPrimaryKey", .integer(row.lastPrimaryKey)), ("table", .orNull(row.table)),
    ]
    return members + (entity.map { ModelJSON.members(of: $0).filter { $0.0 != "name" } } ?? [])
  }

  private static func table(_ table: StoreInspection.Table) -> JSONValue {
    .object([
      ("name", .string(table.name)), ("rows", .orNull(table.rowCount)),
      (
        "columns",
        .array(table.columns.map { .object([("name", .string($0.name)), ("type", .string($0.type))]) })
      ),
    ])
  }

  private static func history(_ history: HistoryRange) -> JSONValue {
    func transaction(_ transaction: HistoryRange.Transaction?) -> JSONValue {
      guard let transaction else { return .null }
      return .object([
        ("number", .integer(transaction.number)), ("date", .string(DateText.iso8601(transaction.date))),
      ])
    }
    return .object([
      ("transactions", .integer(history.transactionCount)), ("first", transaction(history.first)),
      ("last", transaction(history.last)), ("inserts", .integer(history.insertCount)),
      ("updates", .integer(history.updateCount)), ("deletes", .integer(history.deleteCount)),
      ("otherChanges", .integer(history.otherCount)), ("authors", .strings(history.authors)),
      ("processes", .strings(history.processes)),
    ])
  }

  private static func model(_ file: ModelFile, _ versions: ModelVersions?) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("path", .string(file.path)), ("version", .orNullIfEmpty(file.versionName)),
      ("versionIdentifier", .string(file.model.versionIdentifier)),
      ("versionHashesDigest", .string(file.model.versionHashesDigest)),
      ("versionChecksum", .string(file.model.versionChecksum)),
      (
        "configurations",
        .object(
          file.model.entityNamesByConfiguration.sorted { $0.key.precedesByCodePoint($1.key) }
            .map { ($0.key, .strings($0.value)) })
      ),
      ("warnings", .strings(file.warnings.map(\.message))),
    ]
    if let versions {
      members.append(("versions", .strings(versions.names)))
      members.append(("currentVersion", .orNull(versions.current)))
    }
    return .object(members)
  }

  /// A value of the metadata: data as base64, dates as ISO 8601.
  static func value(_ value: PropertyListValue) -> JSONValue {
    switch value {
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(Int(number))
    case .unsigned(let number): .number("\(number)")
    case .real(let number): .double(number)
    case .date(let date): .string(DateText.iso8601(date))
    case .string(let text): .string(text)
    case .data(let data): .string(data.base64EncodedString())
    case .array(let elements): .array(elements.map(self.value))
    case .dictionary(let entries):
      .object(entries.sorted { $0.key.precedesByCodePoint($1.key) }.map { ($0.key, self.value($0.value)) })
    }
  }
}
