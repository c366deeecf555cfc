import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// A model version of a compiled folder of the fixtures.
struct CompiledVersion: Sendable, CustomTestStringConvertible {
  var folder: String
  var version: String

  var testDescription: String { "\(folder) \(version)" }

  static let all: [CompiledVersion] = {
    let compiled = FixtureFolder.expected.compiled
    return compiled.keys.sorted().flatMap { path in
      (compiled[path] ?? [:]).keys.sorted().map {
        CompiledVersion(folder: path.replacingOccurrences(of: "/VersionInfo.plist", with: ""), version: $0)
      }
    }
  }()

  func compiled() throws -> ModelFile { try ModelReader.readFile(path: FixtureFolder.path(folder), version: version) }

  func source() throws -> ManagedObjectModel {
    try ModelReader.read(
      path: FixtureFolder.path(folder.replacingOccurrences(of: ".momd", with: ".xcdatamodeld")), version: version)
  }
}

extension ManagedObjectModel {
  /// The definitions without what compiled models do not hold, in one order: how code is generated, the class of
  /// transformable values; and without the entities' classes, which a cache holds with the app's module or not at all.
  var compiledDefinitions: [EntityDefinition] {
    definitions.map { entity in
      var entity = entity
      entity.codeGenerationType = nil
      entity.managedObjectClassName = nil
      for index in entity.attributes.indices {
        entity.attributes[index].usesScalarValueType = false
        entity.attributes[index].attributeValueClassName = nil
      }
      entity.attributes.sort { $0.name < $1.name }
      entity.relationships.sort { $0.name < $1.name }
      entity.fetchIndexes.sort { $0.name < $1.name }
      return entity
    }
  }

  /// The first difference that `other` has to this model beyond what compiled models do not hold.
  func firstDifference(toCompiled other: ManagedObjectModel) -> String? {
    for (own, compiled) in zip(compiledDefinitions, other.compiledDefinitions) where own != compiled {
      return "\(compiled) is not \(own)"
    }
    let beyondClasses = differences(to: other).filter { difference in
      if case .changed(.className, _, _) = difference.change { false } else { true }
    }
    return beyondClasses.first.map { "\($0)" }
  }
}

@Suite(
  "Compiled models that Apple's tools made", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct CompiledModelTests {
  @Test("a compiled model equals its source in everything that compiled models hold", arguments: CompiledVersion.all)
  func twin(_ version: CompiledVersion) throws {
    let file = try version.compiled()
    let source = try version.source()
    #expect(file.versionName == version.version)
    #expect(file.path.hasSuffix("/\(version.version).mom"))
    #expect(file.warnings.isEmpty, "\(file.warnings)")
    #expect(file.model.entityVersionHashesByName == source.entityVersionHashesByName)
    #expect(source.firstDifference(toCompiled: file.model) == nil)
    // The class of transformable values is the one thing missing that a difference shows.
    let isSample = version.version == "SampleModel"
    #expect(
      source.differences(to: file.model).map(\.description)
        == (isSample ? ["Car.color: class changed from Color to none"] : []))
    #expect(file.model.entityNamesByConfiguration == source.entityNamesByConfiguration)
    #expect(file.model.fetchRequestTemplates == source.fetchRequestTemplates)
    #expect(file.model.versionIdentifier == source.versionIdentifier)
  }

  @Test("a compiled model has the hashes and the checksum of its VersionInfo.plist", arguments: CompiledVersion.all)
  func versionInfo(_ version: CompiledVersion) throws {
    let info = try #require(try VersionInfo.read(folder: FixtureFolder.path(version.folder)))
    let stored = try #require(info.versionHashes[version.version])
    let file = try version.compiled()
    #expect(file.model.compareVersionHashes(with: stored).isCompatible)
    let expected = FixtureFolder.expected.compiled[version.folder + "/VersionInfo.plist"]?[version.version]
    #expect(stored.mapValues(\.hexadecimal) == expected)
    if let checksum = info.versionChecksums[version.version] { #expect(file.model.versionChecksum == checksum) }
  }

  @Test("folders list their versions, the current one from VersionInfo.plist")
  func versions() throws {
    #expect(CompiledVersion.all.count == 10)
    let sample = FixtureFolder.path("models/coredataplus/SampleModel.momd")
    let versions = try ModelReader.versions(path: sample)
    #expect(versions.names == ["SampleModel", "SampleModel2", "SampleModel3"] && versions.current == "SampleModel")
    #expect(try ModelReader.readFile(path: sample + "/").versionName == "SampleModel")
    #expect(try ModelReader.readFile(path: sample, version: "SampleModel3.mom").versionName == "SampleModel3")
    let server = FixtureFolder.path("models/xcserver/XCServerCoreData.momd")
    #expect(try ModelReader.versions(path: server).current == "XCServerCoreData2.0.2")
    let single = try ModelReader.readFile(path: sample + "/SampleModel2.mom")
    #expect(single.versionName == "SampleModel2" && single.model["LuxuryCar"] != nil)
    let cart = try #require(try VersionInfo.read(folder: FixtureFolder.path("models/cartkit/CartStorage.momd")))
    #expect(cart.versionChecksums["CartStorage"] != nil && cart.currentVersionName == "CartStorage")
  }

  @Test("hashes stored with an archive are compared with the model's")
  func storedHashes() throws {
    let path = FixtureFolder.path("models/cartkit/CartStorage.momd/CartStorage.mom")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let model = try CompiledModelReader.read(archive: bytes).model
    var hashes = model.entityVersionHashesByName
    hashes["CDCart"] = Data(repeating: 1, count: 32)
    hashes["Unheard"] = hashes.removeValue(forKey: "CDCartItem")
    let file = try CompiledModelReader.read(archive: bytes, origin: "here", storedHashes: hashes)
    #expect(file.model.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(
      file.warnings.map(\.description) == [
        "here: CDCart: the version hash stored with the model is another one",
        "here: CDCartItem: no version hash is stored with the model",
        "here: Unheard: a version hash is stored, but the model has no such entity",
      ])
    #expect(file.path == "here" && file.versionName.isEmpty)
  }
}
