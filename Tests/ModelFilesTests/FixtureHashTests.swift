import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

@Suite(
  "Version hashes of models that Apple's tools made",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct FixtureHashTests {
  @Test("every entity of a model version has the expected hash", arguments: FixtureFolder.expected.modelPaths)
  func hashes(path: String) throws {
    let expected = try #require(FixtureFolder.expected.models[path])
    let file = try ModelReader.readFile(path: FixtureFolder.path(path))
    #expect(Set(file.model.entities.map(\.name)) == Set(expected.keys))
    for entity in file.model.entities {
      #expect(entity.versionHash.hexadecimal == expected[entity.name], "\(path) \(entity.name)")
    }
    #expect(file.warnings.isEmpty, "\(path): \(file.warnings)")
  }

  @Test("no hash rests on an unconfirmed rule")
  func unconfirmed() throws {
    var names: [String] = []
    for path in FixtureFolder.expected.modelPaths {
      let model = try ModelReader.read(path: FixtureFolder.path(path))
      names += model.entities.filter(\.restsOnUnconfirmedHashRule).map { "\(path) \($0.name)" }
    }
    #expect(names == [])
  }

  @Test("compiled models have the hashes of their sources")
  func compiled() throws {
    var count = 0
    for (path, versions) in FixtureFolder.expected.compiled {
      let folder = FixtureFolder.path(path.replacingOccurrences(of: ".momd/VersionInfo.plist", with: ".xcdatamodeld"))
      for (version, expected) in versions {
        let model = try ModelReader.read(path: folder, version: version)
        #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == expected, "\(path) \(version)")
        count += expected.count
      }
    }
    #expect(count > 100)
  }

  @Test("digests of stores come out of the sources of their models")
  func digests() throws {
    var digests = 0
    for (path, store) in FixtureFolder.expected.stores {
      guard let source = store.models.first else { continue }
      let model = try ModelReader.read(path: FixtureFolder.path(source))
      #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == store.hashes, "\(path)")
      if let digest = store.digest {
        #expect(model.versionHashesDigest == digest, "\(path)")
        digests += 1
      }
    }
    #expect(digests == 5)
  }

  @Test("the fixtures are all there")
  func counts() {
    #expect(FixtureFolder.expected.models.count == 26 && FixtureFolder.expected.stores.count == 10)
    #expect(CompiledVersion.all.count == FixtureFolder.expected.compiled.values.map(\.count).reduce(0, +))
    #expect(FixtureFolder.expected.compiled.count == 3 && CompiledVersion.all.count > 7)
    #expect(ModelWriterTests.sources.count > 26)
  }
}
