import CoreDataLayout
import SQLite

/// Values that go into files beside the store, or come back from there, while SQL runs.
final class ExternalValues {
  private let folder: ExternalDataFolder
  /// SQLite only keeps an error's text.
  private(set) var failure: (any Error)?

  init(folder: ExternalDataFolder) { self.folder = folder }

  /// How the SQL begins that takes a value from a file.
  static let readingCall = "seedbed_external_get("
  /// How the SQL begins that puts a value into a file where it is long.
  static let writingCall = "seedbed_external_put("

  /// SQL for the value of an old column in another form.
  /// - Parameters:
  ///   - writes: whether long values go into files; otherwise they come back from there.
  ///   - table: the entity number of the new table's root. With the place of the new column it tells equal values of a
  ///     row, and of rows with the same key, apart: no two share a file.
  static func call(on column: String, writes: Bool, table: Int, place: Int) -> String {
    writes ? "\(writingCall)\(column), s.Z_PK, \(table << 16 | place))" : "\(readingCall)\(column), s.Z_PK)"
  }

  /// - Parameter writesFiles: whether long values are written; otherwise nothing beside the store is changed.
  func register(on connection: Connection, writesFiles: Bool) throws(SQLiteError) {
    try connection.registerFunction("seedbed_external_put", argumentCount: 3) { [self] arguments in
      guard case .blob(let bytes) = arguments[0] else { return arguments[0] }
      guard writesFiles, case .integer(let key) = arguments[1], case .integer(let place) = arguments[2] else {
        return .blob([ExternalDataFolder.inlineTag] + bytes)
      }
      return try noting {
        var stored: [UInt8] = []
        try unsafe bytes.withUnsafeBytes {
          let seed = RowBinder.seed(Int(place >> 16), key, Int(place & 0xFFFF))
          unsafe try folder.encode($0, seed: seed, into: &stored)
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
