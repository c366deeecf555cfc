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

  /// - Throws: `StoreError` where a migration in the store itself would end for want of permission, with SQLite's own
  ///   words.
  package static func requireWritable(_ path: String) throws {
    let place = ResultPath.followed(path)
    let folder = (place as NSString).deletingLastPathComponent
    let files = FileManager.default
    if files.isWritableFile(atPath: place), files.isWritableFile(atPath: folder.isEmpty ? "." : folder) { return }
    throw StoreError.inputOutput(
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
    let run = MigrationRun(path: path, options: options)
    return try run.run(from: older, to: newer, mapping)
  }
}
