import CoreDataLayout
import Foundation
package import Migration
import Pipelines
import Platform
package import SQLMigration
import StoreInterface

/// A migration of a copy of the store in a temporary folder, which is removed at the end. So a dry run ends as the
/// migration would, even where only the work itself shows a problem.
///
/// It takes the time of the migration, and space in that folder for the old store and the new one.
package struct MigrationRehearsal {
  private let store: String

  /// A rehearsal for a store, which stays as it is.
  package init(store: String) { self.store = store }

  /// - Parameter work: the migration of the store at a path.
  /// - Throws: what the work throws, said of the store itself.
  package func run<Result>(_ work: (_ copy: String) throws -> Result) throws -> Result {
    let folder: ScratchFolder
    do throws(SystemError) {
      folder = try ScratchFolder()
    } catch {
      throw RunError(
        .inputOutput, code: "migration.rehearsal", "no folder can be made for the dry run: \(error.reason)",
        hint: "set TMPDIR to a place with space")
    }
    defer { folder.remove() }
    // Under its own name, on which the name of the folder of its external data depends.
    let copy = folder.path + "/" + (store as NSString).lastPathComponent
    var options = StoreCopier.Options(journal: .wal, replace: .always)
    options.isForConstruction = true
    do {
      try StoreCopier.copy(from: store, to: copy, options: options)
      return try work(copy)
    } catch StoreMigrationError.conditions(_, let conditions) {
      throw StoreMigrationError.conditions(path: store, conditions)
    } catch let error as StoreError {
      throw error.naming(store, insteadOf: copy)
    } catch {
      var failure = RunError(any: error, store: store)
      failure.message = failure.message.replacing(copy, with: store)
      throw failure
    }
  }
}

extension MigrationSteps {
  /// Does what a migration would, to a copy.
  /// - Parameters: as those of the migration itself.
  /// - Returns: what one step in place did; nil for several, of which `didEnd` is told.
  /// - Throws: as the migration itself, and before the copy is made for a store that nothing could be written to or put
  ///   in the place of.
  package func rehearse(
    _ options: StoreMigration.Options, willBegin: @escaping @Sendable (MigrationChain.Step) -> Void,
    didEnd: @escaping @Sendable (MigrationChain.Step, MigrationReport) -> Void
  ) throws -> MigrationReport? {
    try requirePlace()
    return try MigrationRehearsal(store: storeName).run { copy in
      var options = options
      options.worksOnCopy = true
      let report = try carryOut(options, at: copy, willBegin: willBegin, didEnd: didEnd)
      if chain != nil {
        try ProgressiveMigration.requirePlace(at: store, forFilesOf: URL(fileURLWithPath: copy))
      } else {
        try requirePlace(for: report?.plan)
      }
      return report
    }
  }
}
