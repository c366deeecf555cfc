import Foundation
import StoreInterface

/// The file `store.json` of a record folder: which store it is and for which model it was written.
struct RecordFolderMetadata: Codable {
  var identifier: UUID
  var format: String
  /// Entity name → version hash.
  var versionHashes: [String: Data]

  static let fileName = "store.json"

  /// The metadata of a folder; nil when it has none.
  /// - Throws: `StoreError.notAStore`.
  static func read(folder: String) throws(StoreError) -> RecordFolderMetadata? {
    var file = AtomicFile(path: folder + "/" + fileName)
    guard let data = try file.read() else { return nil }
    do {
      return try JSONDecoder().decode(RecordFolderMetadata.self, from: data)
    } catch {
      throw .notAStore(path: file.path, message: "it does not say which store this is: \(error)")
    }
  }

  func write(folder: String) throws(StoreError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data: Data
    do {
      data = try encoder.encode(self)
    } catch {
      throw .failure("the metadata cannot be written: \(error)")
    }
    var file = AtomicFile(path: folder + "/" + Self.fileName)
    _ = try file.read()
    try file.write(data + Data("\n".utf8))
  }
}
