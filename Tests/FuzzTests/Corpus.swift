import Foundation
import ModelFiles
import ObjectModel
import Platform
import PropertyLists
import SQLite
import TestSupport

@testable import CoreDataLayout

/// What the mutations start from: inputs of our own, and those of Apple's tools when they are beside the package.
struct Corpus: Sendable {
  private(set) var inputs: [Target: [Target.Input]] = [:]

  private static let fixtures = FixtureFolder.url
  /// Larger files take too long per input.
  private static let maximumByteCount = 200_000

  static let xml = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1">
      <entity name="Place" representedClassName="Place" isAbstract="YES">
        <attribute name="name" attributeType="String" maxValueString="20" regularExpressionString="[a-z]+"/>
        <relationship name="crates" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
    destinationEntity="Crate" inverseName="place" inverseEntity="Crate"/>
      </entity>
      <entity name="Shop" representedClassName="Shop" parentEntity="Place">
        <attribute name="code" optional="YES" attributeType="Integer 64" defaultValueString="7"/>
        \(ModelXML.unique("code"))
      </entity>
      <entity name="Crate" representedClassName="Crate">
        <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="since" optional="YES" attributeType="Date"/>
        <relationship name="place" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Place" \
    inverseName="crates" inverseEntity="Place"/>
        <relationship name="twins" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Crate" \
    inverseName="twins" inverseEntity="Crate"/>
        <fetchIndex name="bySince"><fetchIndexElement property="since" type="Binary" order="descending"/></fetchIndex>
      </entity>
    </model>
    """

  /// The model of the store of our own.
  static var model: ManagedObjectModel { get throws { try parsedModel.get() } }

  private static let parsedModel = Result {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try ModelReader.read(path: folder.write(xml, to: "contents")) }
  }

  init() throws {
    try addOwn()
    guard FileManager.default.fileExists(atPath: Self.fixtures.path) else { return }
    try addFixtures()
  }

  private mutating func add(_ target: Target, _ name: String, _ bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount else { return }
    inputs[target, default: []].append(Target.Input(name: name, bytes: bytes))
  }

  private mutating func addOwn() throws {
    let model = try Self.model
    add(.sourceModel, "own model", Array(Self.xml.utf8))
    let metadata = StoreMetadata(model: model, uuid: "0A0B0C0D-0000-4000-8000-000000000001")
    add(.propertyList, "own metadata", PropertyList.encode(binary: .dictionary(metadata.values)))
    let hashes = model.entityVersionHashesByName.mapValues { PropertyListValue.data($0) }
    add(
      .versionInfo, "own VersionInfo",
      PropertyList.encode(
        binary: .dictionary([
          "NSManagedObjectModel_CurrentVersionName": .string("A"),
          "NSManagedObjectModel_VersionHashes": .dictionary(["A": .dictionary(hashes)]),
        ])))
    // Not a model, but the outermost shape of one; whole ones come from the fixtures.
    let archive = PropertyList.encode(
      binary: .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$top": .dictionary([:]),
        "$objects": .array([.string("$null"), .dictionary(["NSEntities": .integer(1)])]),
      ]))
    add(.compiledModel, "own archive", archive)
    add(.cachedModel, "own archive", try RawDeflate.deflate(archive))
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.file("own.sqlite")
    let store = try SQLiteStore.create(path: path.path, model: model)
    try store.seal()
    let connection = try Connection(path: path.path)
    try connection.execute(
      """
      INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCODE) VALUES (1, 3, 1, 'a', 7), (2, 3, 1, 'b', 8);
      INSERT INTO ZCRATE (Z_PK, Z_ENT, Z_OPT, ZPLACE, Z2_PLACE, Z_FOK_PLACE, ZSINCE, ZPHOTO)
        VALUES (1, 1, 1, 1, 3, 2048, 0.5, x'01AA');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
      """)
    try connection.close()
    add(.store, "own store", Array(try Data(contentsOf: path)))
    for size in [100, 1_000, 8_000, 40_000] {
      var random = SeededGenerator(seed: UInt64(size))
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      add(.pages, "\(size) choices", bytes)
      add(.pageLoad, "\(size) choices", bytes)
      add(.rewrite, "\(size) choices", bytes)
    }
  }

  private mutating func addFixtures() throws {
    guard let files = FileManager.default.enumerator(at: Self.fixtures, includingPropertiesForKeys: nil) else { return }
    let urls = files.compactMap { $0 as? URL }.sorted { $0.path < $1.path }
    for url in urls {
      let target: Target? =
        switch (url.pathExtension, url.lastPathComponent) {
        case ("mom", _): .compiledModel
        case ("sqlite", _): .store
        case (_, VersionInfo.fileName): .versionInfo
        case (_, "contents"): .sourceModel
        default: nil
        }
      guard let target else { continue }
      add(target, url.lastPathComponent, Array(try Data(contentsOf: url)))
      guard target == .store else { continue }
      if let cache = try ModelCache.read(path: url.path) { add(.cachedModel, url.lastPathComponent, cache.content) }
      let metadata = try StoreMetadata.read(path: url.path)
      add(.propertyList, url.lastPathComponent, PropertyList.encode(binary: .dictionary(metadata.values)))
    }
  }
}
