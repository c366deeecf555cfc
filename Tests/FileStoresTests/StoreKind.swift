import CoreDataLayout
import FileStores
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestSupport
import Testing

/// The types of stores that must give the same answers.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case inMemory, sqlite, binary, xml, csv, ndjson, json

  static let files: [StoreKind] = [.binary, .xml, .csv, .ndjson, .json]
  static let onDisk: [StoreKind] = [.sqlite] + files

  /// Folders of record files.
  var isFolder: Bool { [.csv, .ndjson, .json].contains(self) }

  var testDescription: String { rawValue }

  var type: any PersistentStoreType {
    switch self {
    case .inMemory: .inMemory
    case .sqlite: .sqlite
    case .binary: .binary
    case .xml: .xml
    case .csv: .csvFolder
    case .ndjson: .ndjsonFolder
    case .json: .jsonFolder
    }
  }

  func description(in folder: TemporaryFolder) -> PersistentStoreDescription {
    PersistentStoreDescription(erased: type, url: folder.file("store." + rawValue))
  }

  func open(in folder: TemporaryFolder, _ model: ManagedObjectModel) throws -> any PersistentStore {
    try type.load(description(in: folder), model: model)
  }
}

extension PersistentStoreDescription {
  fileprivate convenience init(erased type: any PersistentStoreType, url: URL) {
    self.init(type: InMemoryPersistentStoreType(), url: url)
    self.type = type
  }
}
