import Foundation
import TestSupport

/// The shared fixtures beside the package: models and stores that Apple's tools made. Tests that need them are
/// skipped where they are absent.
enum Fixtures {
  static let packageRoot = FixtureFolder.packageRoot
  static let folder = FixtureFolder.url
  static let areAvailable = FixtureFolder.isAvailable
  static let reason = FixtureFolder.absenceReason

  /// The models of our own writing.
  static let models = packageRoot.appendingPathComponent("Tests/ModelFilesTests/Models")

  static func path(_ relative: String) -> String { folder.appendingPathComponent(relative).path }

  /// `expected.json`, as far as models and their stores are concerned.
  struct Expected: Decodable {
    struct Model: Decodable {
      /// Entity name → version hash in hexadecimal.
      var entities: [String: String]
    }
    struct Store: Decodable {
      var hashes: [String: String]
      var digest: String?
      var checksum: String?
      var model: [String]?
    }
    /// Keyed by the path of a `.xcdatamodel`; compiled models (`.plist`) have another shape and are left out.
    var models: [String: Model] = [:]
    /// Path of a `VersionInfo.plist` → version name → entity name → version hash.
    var compiled: [String: [String: [String: String]]] = [:]
    var stores: [String: Store] = [:]

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let top = try decoder.container(keyedBy: Key.self)
      let models = try top.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "models"))
      for key in models.allKeys {
        if key.stringValue.hasSuffix(".xcdatamodel") {
          self.models[key.stringValue] = try models.decode(Model.self, forKey: key)
        } else {
          compiled[key.stringValue] = try models.decode([String: [String: String]].self, forKey: key)
        }
      }
      stores = try top.decode([String: Store].self, forKey: Key(stringValue: "stores"))
    }
  }

  static func expected() throws -> Expected {
    let bytes = try Data(contentsOf: folder.appendingPathComponent("expected.json"))
    return try JSONDecoder().decode(Expected.self, from: bytes)
  }
}

extension Data {
  var hexadecimal: String {
    map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}
