import SQLite
import StoreInterface

/// Values that go into files beside the store, or come back from there, while SQL runs.
final class ExternalValues {
  private let folder: ExternalDataFolder
  /// SQLite only keeps an error's text.
  private(set) var failure: (any Error)?

  init(folder: ExternalDataFolder) { self.folder = folder }

  /// - Parameter writesFiles: whether long values are written; otherwise nothing beside the store is changed.
  func register(on connection: Connection, writesFiles: Bool) throws(SQLiteError) {
    try connection.registerFunction("seedbed_external_put", argumentCount: 2) { [self] arguments in
      guard case .blob(let bytes) = arguments[0] else { return arguments[0] }
      guard writesFiles, case .integer(let key) = arguments[1] else {
        return .blob([ExternalDataFolder.inlineTag] + bytes)
      }
      return try noting {
        var stored: [UInt8] = []
        try unsafe bytes.withUnsafeBytes {
          unsafe try folder.encode($0, seed: UInt64(bitPattern: key), into: &stored)
        }
        return .blob(stored)
      }
    }
    try connection.registerFunction("seedbed_external_get", argumentCount: 2) { [self] arguments in
      guard case .blob(let stored) = arguments[0] else { return arguments[0] }
      return try noting {
        let bytes = try unsafe stored.withUnsafeBytes { unsafe try folder.decode($0, storePath: connection.path) }
        return .blob(bytes)
      }
    }
  }

  private func noting(_ body: () throws -> FunctionValue) throws -> FunctionValue {
    do {
      return try body()
    } catch {
      failure = failure ?? error
      throw error
    }
  }
}
