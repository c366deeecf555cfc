import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

@Suite("Models written as Xcode writes them")
struct ModelWriterTests {
  /// Every version of every model that Xcode's editor wrote, and of the model with one of everything.
  static let sources: [String] = contents(below: OwnModels.folder.path) + contents(below: FixtureFolder.path("models"))

  static func contents(below folder: String) -> [String] {
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".xcdatamodel/contents") }.sorted().map { folder + "/" + $0 }
  }

  @Test("a model that is read, written and read again is the same, hashes included", arguments: sources)
  func roundTrip(path: String) throws {
    let model = try ModelReader.read(path: path)
    try expectRoundTrip(model)
  }

  @Test(
    "a compiled model written as a source has the same hashes",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func compiled() throws {
    for name in ["coredataplus/SampleModel.momd", "cartkit/CartStorage.momd", "xcserver/XCServerCoreData.momd"] {
      let path = FixtureFolder.path("models/" + name)
      for version in try ModelReader.versions(path: path).names {
        let model = try ModelReader.read(path: path, version: version)
        let folder = try TemporaryFolder()
        try ModelWriter.write(model, path: folder.path("M.xcdatamodeld"))
        let again = try ModelReader.read(path: folder.path("M.xcdatamodeld"))
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName, "\(name) \(version)")
      }
    }
  }

  private func expectRoundTrip(_ model: ManagedObjectModel) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Shop & Co.xcdatamodeld")
    try ModelWriter.write(model, path: path)
    let file = try ModelReader.readFile(path: path)
    #expect(file.versionName == "Shop & Co")
    #expect(Self.sorted(file.model.declaredDefinitions) == Self.sorted(model.declaredDefinitions))
    #expect(file.model.entityNamesByConfiguration == model.entityNamesByConfiguration)
    #expect(file.model.fetchRequestTemplates == model.fetchRequestTemplates)
    #expect(file.model.versionIdentifier == model.versionIdentifier)
    #expect(file.model.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(file.model.versionHashesDigest == model.versionHashesDigest)
    let text = try ModelWriter.contents(of: model)
    #expect(try ModelWriter.contents(of: file.model) == text)
  }

  private static func sorted(_ entities: [EntityDefinition]) -> [EntityDefinition] {
    entities.map { entity in
      var entity = entity
      entity.attributes.sort { $0.name < $1.name }
      entity.relationships.sort { $0.name < $1.name }
      entity.fetchedProperties.sort { $0.name < $1.name }
      return entity
    }
  }

  @Test(
    "the text is Xcode's own but for what only its editor uses",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func sameText() throws {
    var count = 0
    for path in Self.sources where !path.contains("Library") {
      let original = try String(contentsOfFile: path, encoding: .utf8)
      let written = try ModelWriter.contents(of: try ModelReader.read(path: path))
      let lines = zip(Self.comparable(written), Self.comparable(original))
      #expect(Self.comparable(written).count == Self.comparable(original).count, "\(path)")
      if let (ours, theirs) = lines.first(where: { $0 != $1 }) { Issue.record("\(path)\n\(ours)\n\(theirs)") }
      count += 1
    }
    #expect(count > 20)
  }

  /// The lines of a model's text without what the editor alone uses, and older versions of it do not write: the tools'
  /// versions, the places of its diagram, and flags that say the usual.
  private static func comparable(_ text: String) -> [String] {
    var lines = text.split(separator: "\n").map(String.init)
    if let start = lines.firstIndex(of: "    <elements>"), let end = lines.firstIndex(of: "    </elements>") {
      lines.removeSubrange(start...end)
    }
    lines.removeAll { $0.hasPrefix("<model ") }
    return lines.map { line in
      let line = line.replacing(" usesScalarValueType=\"NO\"", with: "").replacing("\"0.0\"", with: "\"0\"")
      return line.hasPrefix("    <entity") ? line : line.replacing(" syncable=\"YES\"", with: "")
    }
  }

  @Test("texts with all that XML has to escape come back as they are")
  func escapes() throws {
    var note = AttributeDefinition("note", .string)
    note.defaultValue = .string(" <a href=\"x\">&amp;</a>\n\t\r'é😀 ")
    note.userInfo = ["a<b": "c\"d\n", "": ""]
    note.regularExpression = "[<>&\"'\\n]+"
    var entity = EntityDefinition("Note")
    entity.attributes = [note]
    entity.userInfo = ["key": ""]
    // A user info key that is empty has no form that the reader takes.
    entity.attributes[0].userInfo[""] = nil
    try expectRoundTrip(try ManagedObjectModel(entities: [entity], versionIdentifier: "1 & 2"))
  }

  @Test("values of every type come back as they are, the extremes too")
  func values() throws {
    let cases: [(AttributeType, [Value])] = [
      (.integer16, [.integer(-32_768), .integer(32_767)]), (.integer64, [.integer(.min), .integer(.max)]),
      (.double, [.double(0.1), .double(-1.5e-300), .double(1e300), .double(.leastNonzeroMagnitude)]),
      (.float, [.double(Double(Float(0.1)))]),
      (.decimal, [.decimal(0), .decimal(Decimal(string: "-12345678901234567890.123456789") ?? 0)]),
      (.boolean, [.boolean(true), .boolean(false)]), (.string, [.string(""), .string("YES")]),
      (
        .date,
        [.date(Date(timeIntervalSinceReferenceDate: 86_400.125)), .date(.init(timeIntervalSinceReferenceDate: -1))]
      ),
      (.uuid, [.uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)))]),
      (.uri, [.uri(try #require(URL(string: "https://example.org/a?b=c&d")))]),
    ]
    var entity = EntityDefinition("Thing")
    for (type, values) in cases {
      for (index, value) in values.enumerated() {
        var attribute = AttributeDefinition("a\(type.rawValue)x\(index)", type)
        attribute.defaultValue = value
        entity.attributes.append(attribute)
      }
    }
    try expectRoundTrip(try ManagedObjectModel(entities: [entity]))
  }

  @Test("what model sources have no form for is an error that names it")
  func unwritable() throws {
    var count = AttributeDefinition("count", .integer64)
    count.derivation = .init(expression: "count:(lines)", filteringPredicate: "price > 3")
    var entity = EntityDefinition("Order")
    entity.attributes = [count]
    entity.relationships = [.init("lines", toMany: "Order")]
    let model = try ManagedObjectModel(entities: [entity], validation: .source)
    let error = #expect(throws: ModelError.self) { try ModelWriter.contents(of: model) }
    #expect(error?.description.contains("Order.count") == true)
    var bell = EntityDefinition("Bell")
    bell.userInfo = ["tone": "\u{7}"]
    let other = try ManagedObjectModel(entities: [bell])
    #expect(throws: ModelError.self) { try ModelWriter.contents(of: other) }
  }

  @Test("a second version becomes the current one and the first stays")
  func versions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Shop.xcdatamodeld")
    try ModelWriter.write(try ManagedObjectModel(entities: [EntityDefinition("A")]), path: path)
    try ModelWriter.write(
      try ManagedObjectModel(entities: [EntityDefinition("B")]), path: path + "/", version: "Shop 2")
    let versions = try ModelReader.versions(path: path)
    #expect(versions.names == ["Shop", "Shop 2"])
    #expect(versions.current == "Shop 2")
    #expect(try ModelReader.read(path: path).entities.map(\.name) == ["B"])
    #expect(try ModelReader.read(path: path, version: "Shop").entities.map(\.name) == ["A"])
  }
}
