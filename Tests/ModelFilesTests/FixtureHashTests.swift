import Foundation
import ModelFiles
import ObjectModel
import Testing

@Suite("Version hashes of models that Apple's tools made", .enabled(if: Fixtures.areAvailable, "\(Fixtures.reason)"))
struct FixtureHashTests {
  static let modelPaths: [String] =
    Fixtures.areAvailable ? ((try? Fixtures.expected())?.models.keys.sorted() ?? []) : []

  @Test("every entity of a model version has the expected hash", arguments: modelPaths)
  func hashes(path: String) throws {
    let expected = try #require(try Fixtures.expected().models[path]).entities
    let file = try ModelReader.readFile(path: Fixtures.path(path))
    #expect(Set(file.model.entities.map(\.name)) == Set(expected.keys))
    for entity in file.model.entities {
      #expect(entity.versionHash.hexadecimal == expected[entity.name], "\(path) \(entity.name)")
    }
    #expect(file.warnings.isEmpty, "\(path): \(file.warnings)")
  }

  @Test("no hash rests on an unconfirmed rule")
  func unconfirmed() throws {
    var names: [String] = []
    for path in Self.modelPaths {
      let model = try ModelReader.read(path: Fixtures.path(path))
      names += model.entities.filter(\.restsOnUnconfirmedHashRule).map { "\(path) \($0.name)" }
    }
    #expect(names == [])
  }

  @Test("compiled models have the hashes of their sources")
  func compiled() throws {
    var count = 0
    for (path, versions) in try Fixtures.expected().compiled {
      let folder = Fixtures.path(path.replacingOccurrences(of: ".momd/VersionInfo.plist", with: ".xcdatamodeld"))
      for (version, expected) in versions {
        let model = try ModelReader.read(path: folder, version: version)
        #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == expected, "\(path) \(version)")
        count += expected.count
      }
    }
    #expect(count > 100)
  }

  @Test("digests and checksums of stores come out of their models")
  func digests() throws {
    var digests = 0
    var checksums = 0
    for (path, store) in try Fixtures.expected().stores {
      guard let source = store.model?.first(where: { $0.hasSuffix(".xcdatamodel") }) else { continue }
      let model = try ModelReader.read(path: Fixtures.path(source))
      #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == store.hashes, "\(path)")
      if let digest = store.digest {
        #expect(model.versionHashesDigest == digest, "\(path)")
        digests += 1
      }
      if let checksum = store.checksum {
        #expect(model.versionChecksum == checksum, "\(path)")
        checksums += 1
      }
    }
    #expect(digests > 0)
  }
}
