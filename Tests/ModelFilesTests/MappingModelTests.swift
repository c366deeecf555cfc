import Foundation
import Migration
import ObjectModel
import TestSupport
import Testing

@testable import ModelFiles

@Suite("Mapping models that Xcode made", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct FixtureMappingTests {
  private func read(_ path: String) throws -> MappingModelFile {
    try MappingModelReader.read(path: FixtureFolder.path("models/" + path))
  }

  @Test("the XML compiles to what Xcode compiled it to, field by field")
  func compiled() throws {
    let ours = try read("coredataplus/V2toV3.xcmappingmodel/")
    let apples = try read("coredataplus/V2toV3.cdm")
    #expect(ours.mappingModel.entityMappings.map(\.name) == apples.mappingModel.entityMappings.map(\.name))
    for (mine, theirs) in zip(ours.mappingModel.entityMappings, apples.mappingModel.entityMappings) {
      #expect(mine == theirs)
    }
    let (mine, theirs) = (Self.fields(ours.mappingModel), Self.fields(apples.mappingModel))
    #expect(mine == theirs)
    #expect(theirs.count == 87)
    #expect(apples.mappingModel.entityMappings.count == 5 && ours.warnings.isEmpty)
    let car = try #require(ours.mappingModel.entityMappingsByName["CarToCar"])
    #expect(car.mappingType == .custom && car.entityMigrationPolicyClassName == "REPLACE_AT_RUNTIME.V2to3MakerPolicy")
    #expect(car.attributeMappings.contains(PropertyMapping("numberPlate", "$source.numberPlate")))
  }

  /// Every field of a value by its path, as text; what is absent has none.
  private static func fields(_ value: Any, _ path: String = "") -> [String: String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { fields($0.value, path) } ?? [:]
    }
    guard [.struct, .collection].contains(mirror.displayStyle), !(value is Data) else { return [path: "\(value)"] }
    var result: [String: String] = [:]
    for (number, child) in mirror.children.enumerated() {
      result.merge(fields(child.value, "\(path)/\(child.label ?? "\(number)")")) { first, _ in first }
    }
    return result
  }

  /// Mapping models, the versions that they are for, and entities that came to a version after the mapping model.
  static let mappings: [(mapping: String, models: String, later: [String])] = [
    ("coredataplus/V2toV3.xcmappingmodel", "coredataplus/SampleModel.xcdatamodeld", []),
    (
      "uncloud-notes/UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel",
      "uncloud-notes/UnCloudNotesDataModel.xcdatamodeld", []
    ),
    (
      "uncloud-notes/UnCloudNotesMappingModel_v3_to_v4.xcmappingmodel",
      "uncloud-notes/UnCloudNotesDataModel.xcdatamodeld", []
    ),
    ("loopkit/Modelv1v4.xcmappingmodel", "loopkit/Model.xcdatamodeld", ["CgmEvent"]),
  ]

  @Test("the copies of the models have the hashes of the project's versions", arguments: mappings)
  func embeddedModels(mapping: String, models: String, later: [String]) throws {
    let file = try read(mapping)
    for embedded in [file.source, file.destination] {
      let embedded = try #require(embedded)
      let version = String(try #require(embedded.path.split(separator: "/").last))
      let model = try ModelReader.read(path: FixtureFolder.path("models/\(models)/\(version)"))
      for entity in model.entities where embedded.model[entity.name] != nil || !later.contains(entity.name) {
        #expect(embedded.model[entity.name]?.versionHash == entity.versionHash, "\(version) \(entity.name)")
      }
    }
  }

  @Test("filters, renames and look-ups have their texts")
  func expressions() throws {
    let notes = try read("uncloud-notes/UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel").mappingModel
    #expect(notes.entityMappings.map(\.name) == ["NoteToAttachment", "NoteToNote"])
    #expect(
      notes.entityMappings[0].sourceExpression
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Note\", \"image != nil\"), "
        + "$manager.sourceContext, NO)")
    #expect(
      notes.entityMappings[0].relationshipMappings == [
        PropertyMapping(
          "note",
          "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"NoteToNote\", $source)")
      ])
    let loop = try read("loopkit/Modelv1v4.xcmappingmodel").mappingModel
    #expect(loop.entityMappings.count == 6)
    #expect(loop.entityMappings.count(where: { $0.destinationEntityName == "CachedCarbObject" }) == 2)
  }
}

@Suite("Mapping models")
struct MappingModelTests {
  /// Books and their authors, then with shelves, chapters and a parent.
  private func models() throws -> (old: ManagedObjectModel, new: ManagedObjectModel) {
    var book = EntityDefinition("Book")
    book.attributes = [AttributeDefinition("title", .string), AttributeDefinition("pages", .integer32)]
    book.relationships = [RelationshipDefinition("author", toOne: "Person", inverse: "books")]
    var person = EntityDefinition("Person")
    person.attributes = [AttributeDefinition("name", .string)]
    person.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "author")]
    var novel = EntityDefinition("Novel")
    novel.superentityName = "Book"
    var shelf = EntityDefinition("Shelf")
    shelf.attributes = [AttributeDefinition("Label", .string)]
    var newBook = book
    newBook.managedObjectClassName = "Volume"
    newBook.attributes += [AttributeDefinition("Minutes", .double), AttributeDefinition("isbn", .string)]
    return (
      try ManagedObjectModel(entities: [book, person]),
      try ManagedObjectModel(entities: [newBook, person, novel, shelf])
    )
  }

  private func mapping() throws -> EditedMapping {
    let (old, new) = try models()
    var mapping = EditedMapping(source: old, destination: new)
    typealias Object = EditedMapping.Object
    func property(_ id: String, _ kind: String, _ name: String, _ more: [(String, String)] = []) {
      mapping.objects[id] = Object(type: "XDDEV\(kind)MAPPING", attributes: [("name", name)] + more)
    }
    func entity(_ id: String, _ number: Int, _ attributes: [(String, String)], _ properties: [(String, String)]) {
      mapping.objects[id] = Object(
        type: "XDDEVENTITYMAPPING", attributes: [("mappingnumber", "\(number)")] + attributes,
        relationships: properties)
    }
    mapping.objects["root"] = Object(
      type: "XDDEVMAPPINGMODEL", attributes: [], relationships: [("entitymappings", "e3 e1 e2 e4")])
    // A variable times a number: the function's own receiver is the class of the language's functions.
    let minutes = EditedMapping.expression(
      .object(
        "NSFunctionExpression",
        [
          "NSOperand": .object(
            "NSConstantValueExpression", ["NSConstantValueClassName": .text("_NSPredicateUtilities")]),
          "NSSelectorName": .text("multiply:by:"),
          "NSArguments": .array([
            .object(
              "NSKeyPathExpression",
              [
                "NSOperand": .object("NSVariableExpression", ["NSVariable": .text("source")]),
                "NSSelectorName": .text("valueForKeyPath:"),
                "NSArguments": .array([.object("NSKeyPathSpecifierExpression", ["NSKeyPath": .text("pages")])]),
              ]),
            .object("NSConstantValueExpression", ["NSConstantValue": .integer(2)]),
          ]),
        ]))
    property("a1", "ATTRIBUTE", "title")
    property("a2", "ATTRIBUTE", "isbn")
    property("a3", "ATTRIBUTE", "Minutes", [("valueexpressiondata", minutes)])
    property("r1", "RELATIONSHIP", "author")
    entity(
      "e1", 2, [("sourcename", "Book"), ("destinationname", "Book")],
      [("attributemappings", "a1 a2 a3"), ("relationshipmappings", "r1")])
    property("a4", "ATTRIBUTE", "name")
    property("r2", "RELATIONSHIP", "books")
    entity(
      "e2", 5,
      [
        ("sourcename", "Person"), ("destinationname", "Person"),
        ("sourcefilterpredicatestring", "name \\u3e00 'A'"),
      ], [("attributemappings", "a4"), ("relationshipmappings", "r2")])
    property("a5", "ATTRIBUTE", "Label")
    entity("e3", 7, [("destinationname", "Shelf")], [("attributemappings", "a5")])
    property("r3", "RELATIONSHIP", "author", [("sourcemappingname", "PersonToPerson"), ("sourcekeypath", "$source.a")])
    entity(
      "e4", 9,
      [
        ("sourcename", "Book"), ("destinationname", "Novel"), ("migrationpolicyclassname", "App.NovelPolicy"),
        ("name", "Novels"),
      ], [("relationshipmappings", "r3")])
    // Deleted in the editor: nothing leads to it.
    entity("e9", 1, [("sourcename", "Gone"), ("destinationname", "Gone")], [])
    return mapping
  }

  private func read(_ xml: String) throws -> MappingModelFile {
    let folder = try TemporaryFolder()
    let file = folder.file("Shop.xcmappingmodel/xcmapping.xml")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(xml.utf8).write(to: file)
    return try MappingModelReader.read(path: file.deletingLastPathComponent().path)
  }

  @Test("the mapping model for two models is found among the resources of bundles, beside one that cannot be read")
  func bundles() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Shop.xcmappingmodel/xcmapping.xml")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(try mapping().xml().utf8).write(to: file)
    try Data("none".utf8).write(to: folder.file("Broken.cdm"))
    let (old, new) = try models()
    let bundles = [Bundle.main, try #require(Bundle(path: folder.path))]
    let found = MappingModel(from: bundles, forSourceModel: old, destinationModel: new)
    #expect(found?.entityMappings.map(\.name) == ["BookToBook", "PersonToPerson", "Shelf", "Novels"])
    #expect(MappingModel(from: bundles, forSourceModel: new, destinationModel: old) == nil)
    #expect(MappingModel(from: bundles, forSourceModel: nil, destinationModel: new) == nil)
    #expect(MappingModel(from: nil, forSourceModel: old, destinationModel: new) == nil)
  }

  @Test("what the editor leaves to the compiler gets its names, types and expressions")
  func compile() throws {
    let (old, new) = try models()
    let file = try read(try mapping().xml())
    let mappings = file.mappingModel.entityMappings
    #expect(mappings.map(\.name) == ["BookToBook", "PersonToPerson", "Shelf", "Novels"] && file.warnings.isEmpty)
    #expect(mappings.map(\.mappingType) == [.transform, .copy, .add, .custom])
    #expect(mappings[3].entityMigrationPolicyClassName == "App.NovelPolicy")
    // Sorted without regard to case; what the source does not have stays as it is.
    #expect(
      mappings[0].attributeMappings == [
        PropertyMapping("isbn"), PropertyMapping("Minutes", "($source.pages * 2)"),
        PropertyMapping("title", "$source.title"),
      ])
    func lookup(_ way: String, _ name: String, _ instances: String) -> String {
      "FUNCTION($manager, \"destinationInstances\(way):sourceInstances:\", \"\(name)\", \(instances))"
    }
    #expect(
      mappings[0].relationshipMappings == [
        PropertyMapping("author", lookup("ForEntityMappingNamed", "PersonToPerson", "$source.author"))
      ])
    // Books may be novels, and more than one mapping makes them.
    #expect(
      mappings[1].relationshipMappings == [
        PropertyMapping("books", lookup("ForSourceRelationshipNamed", "books", "$source.books"))
      ])
    #expect(
      mappings[3].relationshipMappings == [
        PropertyMapping("author", lookup("ForEntityMappingNamed", "PersonToPerson", "$source.a"))
      ])
    #expect(mappings[1].sourceExpression?.contains("\"name > 'A'\"") == true)
    #expect(mappings[2].sourceExpression == nil && mappings[2].sourceEntityVersionHash == nil)
    #expect(mappings[0].sourceEntityVersionHash == old["Book"]?.versionHash)
    #expect(mappings[0].destinationEntityVersionHash == new["Book"]?.versionHash)
  }

  @Test("the copies of the models have the hashes of the models")
  func embedded() throws {
    let (old, new) = try models()
    let file = try read(try mapping().xml())
    #expect(file.source?.model.entities.map(\.versionHash) == old.entities.map(\.versionHash))
    #expect(file.destination?.model.entities.map(\.versionHash) == new.entities.map(\.versionHash))
    #expect(file.source?.path == "App/Shop.xcdatamodeld/Shop.xcdatamodel")
  }

  @Test("entity mappings with entities of nothing are kept, and named with what is meant")
  func nowhere() throws {
    var mapping = try mapping()
    mapping.objects["e3"]?.attributes = [("mappingnumber", "7"), ("destinationname", "Shlef")]
    mapping.objects["e2"]?.attributes[1] = ("sourcename", "Persons")
    let file = try read(mapping.xml())
    #expect(file.mappingModel.entityMappings.count == 4)
    #expect(
      file.warnings.map(\.message) == [
        "the entity mapping PersonsToPerson has the source entity Persons, which its copy of the source model does not have",
        "the entity mapping Shlef has the destination entity Shlef, which its copy of the destination model does not have",
      ])
    #expect(file.warnings.map(\.hint) == ["did you mean \"Person\"?", "did you mean \"Shelf\"?"])
    mapping.objects["e3"]?.attributes = [("mappingnumber", "7")]
    #expect(try read(mapping.xml()).warnings.last?.message == "an entity mapping has no destination entity")
    mapping.objects["e3"]?.attributes = [("mappingnumber", "seven"), ("destinationname", "Shelf")]
    let error = try #require(throws: ModelError.self) { try read(mapping.xml()) }
    #expect(error.description.contains("Shelf: mappingnumber is seven"), "\(error)")
    mapping.objects["e3"]?.attributes = [("mappingnumber", "7"), ("destinationname", "Shelf")]
    mapping.objects["a3"]?.attributes[1] = ("valueexpressiondata", "AAAA")
    let garbled = try #require(throws: ModelError.self) { try read(mapping.xml()) }
    #expect(garbled.description.contains("BookToBook: Minutes: "), "\(garbled)")
  }

  /// Documents that are none, each with a part of the message.
  static let damaged: [(change: @Sendable (String) -> String, message: String)] = [
    ({ $0.replacingOccurrences(of: "</database>", with: "") }, "ends too early"),
    ({ $0.replacingOccurrences(of: "DOCTYPE database", with: "DOCTYPE database [<!ENTITY a 'b'>]") }, "document type"),
    (
      { $0.replacingOccurrences(of: "DTDs/CoreData.dtd\"", with: "DTDs/>\" [<!ENTITY a 'b'>]") }, "document type"
    ),
    ({ $0.replacingOccurrences(of: "XDDEVMAPPINGMODEL", with: "XDDEVOTHER") }, "0 mapping models"),
    ({ $0.replacingOccurrences(of: "idrefs=\"a1", with: "idrefs=\"r1") }, "which is no XDDEVATTRIBUTEMAPPING"),
    ({ $0.replacingOccurrences(of: "id=\"e1\"", with: "id=\"e2\"") }, "two objects have the id e2"),
    (
      { $0.replacingOccurrences(of: "name=\"sourcemodeldata\"", with: "name=\"other\"") }, "no copy of its source model"
    ),
    ({ $0.replacingOccurrences(of: ">YnBs", with: ">AAAA") }, "property list"),
  ]

  @Test("a damaged document is refused with file and reason", arguments: damaged.indices)
  func damage(index: Int) throws {
    let (change, message) = Self.damaged[index]
    let xml = try mapping().xml()
    #expect(change(xml) != xml)
    let error = try #require(throws: ModelError.self) { try read(change(xml)) }
    #expect(error.description.contains(message) && error.problems.first?.file?.hasSuffix("xcmapping.xml") == true)
  }

  @Test("a model is no mapping model, and neither is nothing")
  func others() throws {
    var builder = ArchiveBuilder()
    let root = builder.archive(.object("NSManagedObjectModel", [:]))
    let folder = try TemporaryFolder()
    try Data(builder.finish(root: root)).write(to: folder.file("Shop.cdm"))
    let error = try #require(throws: ModelError.self) {
      try MappingModelReader.read(path: folder.file("Shop.cdm").path)
    }
    #expect(error.description.contains("not that of a mapping model"))
    #expect(throws: ModelError.self) { try MappingModelReader.read(path: folder.file("None.cdm").path) }
  }

  @Test(
    "escapes are UTF-16 units with the low byte first",
    arguments: [
      ("ads.@count\\u3e001", "ads.@count>1"), ("a \\u3c00 b", "a < b"), ("plain \\ text", "plain \\ text"),
      ("\\u12", "\\u12"), ("\\uzzzz", "\\uzzzz"), ("\\u3dd8\\u00de!", "\u{1F600}!"),
    ] as [(String, String)])
  func escapes(written: String, text: String) {
    #expect(MappingDocument.unescaped(written) == text)
  }
}
