import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import TestSupport

/// Stores and models that Apple's tools made, beside the package when they are there.
enum Fixtures {
  static let root = FixtureFolder.url
  static let areAvailable = FixtureFolder.isAvailable
  static let absenceReason = FixtureFolder.absenceReason

  /// What is known of a store.
  struct ExpectedStore: Decodable, Sendable {
    struct Entity: Decodable, Sendable {
      let number: Int
      let name: String
    }
    let hashes: [String: String]
    let frameworkVersion: Int?
    let digest: String?
    let checksum: String?
    let rows: [String: Int]
    let model: [String]?
    let entities: [[FixtureValue]]

    var numbers: [String: Int] {
      var numbers: [String: Int] = [:]
      for entity in entities {
        if case .number(let number) = entity[0], case .text(let name) = entity[1] { numbers[name] = number }
      }
      return numbers
    }
  }

  enum FixtureValue: Decodable, Sendable {
    case number(Int)
    case text(String)
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  private struct Expected: Decodable {
    let stores: [String: ExpectedStore]
  }

  /// Store path below `fixtures` → what is known.
  static let stores: [String: ExpectedStore] = {
    guard let data = try? Data(contentsOf: root.appendingPathComponent("expected.json")) else { return [:] }
    return (try? JSONDecoder().decode(Expected.self, from: data).stores) ?? [:]
  }()

  static let storePaths = stores.keys.sorted()
  static let pairedStorePaths = storePaths.filter { stores[$0]?.model?.isEmpty == false }

  static func expected(_ store: String) throws -> ExpectedStore {
    guard let expected = stores[store] else { throw CocoaError(.fileNoSuchFile) }
    return expected
  }

  static func model(of store: String) throws -> ManagedObjectModel {
    guard let path = try expected(store).model?.first else { throw CocoaError(.fileNoSuchFile) }
    return try ModelReader.read(path: root.appendingPathComponent(path).path)
  }

  /// The model that a store carries itself; nil when it has none.
  static func cachedModel(of path: String) throws -> ManagedObjectModel? {
    guard let cache = try ModelCache.read(path: path) else { return nil }
    return try CachedModelReader.read(
      deflated: cache.content, origin: path, storedHashes: cache.versionHashes
    ).model
  }

  /// A writable copy of a store with its sidecars.
  static func copy(_ store: String, to folder: TemporaryFolder) throws -> String {
    let source = root.appendingPathComponent(store).path
    let target = folder.path((store as NSString).lastPathComponent)
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: source + suffix) {
      try Data(contentsOf: URL(fileURLWithPath: source + suffix)).write(to: URL(fileURLWithPath: target + suffix))
    }
    return target
  }
}
