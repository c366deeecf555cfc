import CoreDataLayout
import Foundation
public import ObjectModel
import Platform
import SQLite
import StoreInterface

extension StoreMigration {
  /// What a migration would do, and what is in its way. Nothing is changed.
  /// - Parameters:
  ///   - older: the model that the store was made with.
  ///   - mapping: nil infers one, by which hierarchies may be merged too.
  /// - Throws: `MappingInferenceError`, `StoreMigrationError.sourceModel`, `StoreError`; `StoreError.unsupported` for a
  ///   mapping that does more than take values over.
  public static func plan(
    storeAt path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel, mapping: MappingModel? = nil
  ) throws -> MigrationPlan {
    let mapping = try mapping ?? older.inferredMappingModel(to: newer, mergesHierarchies: true)
    return try ReadOnlyAccess.withConnection(to: path) { connection in
      try connection.set(.triggers, false)
      let work = try MigrationWork(connection, path: path, from: older, to: newer, mapping)
      return try work.plan(connection)
    }
  }

  /// - Parameter plan: what is to be done, where it is known.
  /// - Throws: `StoreError` where a migration in the store itself would end for want of permission, with SQLite's own
  ///   words.
  package static func requireWritable(_ path: String, for plan: MigrationPlan? = nil) throws {
    try requireWritableFile(path)
    if plan?.writesFiles == true { try ExternalDataFolder(storePath: path).requireWritable() }
    let place = ResultPath.followed(path)
    let folder = (place as NSString).deletingLastPathComponent
    if FileManager.default.isWritableFile(atPath: folder.isEmpty ? "." : folder) { return }
    // A log that is there with its index is all that SQLite needs.
    let hasLog = Sidecar.ofLog.allSatisfy { FileManager.default.isWritableFile(atPath: $0.path(of: place)) }
    if try hasLog && StoreFiles.isWriteAheadLogged(path: place) { return }
    throw readOnly(path)
  }

  /// - Throws: `StoreError` for a file that may not be written, of which SQLite says something else where there is a
  ///   log.
  static func requireWritableFile(_ path: String) throws {
    if !FileManager.default.isWritableFile(atPath: ResultPath.followed(path)) { throw readOnly(path) }
  }

  private static func readOnly(_ path: String) -> StoreError {
    .inputOutput(
      path: path, message: "attempt to write a readonly database", code: SQLiteError.Code.readOnly.rawValue)
  }

  /// Migrates a store. It is the old one or the new one as a whole, whatever happens meanwhile.
  /// - Parameters:
  ///   - older: the model that the store was made with.
  ///   - mapping: nil infers one, by which hierarchies may be merged too.
  /// - Throws: as `plan`; `StoreMigrationError.conditions` when data are in the way; `StoreError.busy` while another
  ///   connection uses the store.
  public static func run(
    storeAt path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel, mapping: MappingModel? = nil,
    options: Options = Options()
  ) throws -> MigrationReport {
    let mapping = try mapping ?? older.inferredMappingModel(to: newer, mergesHierarchies: true)
    try StoreFiles.requireFile(path)
    try requireWritableFile(path)
    let run = MigrationRun(path: path, options: options)
    return try run.run(from: older, to: newer, mapping)
  }
}
