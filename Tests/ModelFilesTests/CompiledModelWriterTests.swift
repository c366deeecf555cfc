import Foundation
import ModelFiles
import ObjectModel
import Platform
import Predicates
import TestSupport
import Testing

/// Models that are written as archives, as `Z_MODELCACHE` holds them.
@Suite("Writing compiled models")
struct CompiledModelWriterTests {
  /// A model with one of everything that an archive holds.
  private static func everything() throws -> ManagedObjectModel {
    var number = AttributeDefinition("number", .integer32)
    number.minimumValue = .integer(-3)
    number.maximumValue = .integer(40_000)
    number.defaultValue = .integer(7)
    number.isIndexed = true
    var title = AttributeDefinition("title", .string)
    title.isOptional = false
    title.minimumValue = .integer(1)
    title.maximumValue = .integer(99)
    title.regularExpression = "[A-Z].*"
    title.defaultValue = .string("Ä \u{1F34E}")
    title.versionHashModifier = "2"
    title.renamingIdentifier = "name"
    title.userInfo = ["b": "2", "a": "1"]
    var made = AttributeDefinition("made", .date)
    made.defaultValue = .date(Date(timeIntervalSinceReferenceDate: 12.5))
    made.minimumValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    var price = AttributeDefinition("price", .decimal)
    price.defaultValue = .decimal(try #require(Decimal(string: "-12.340")))
    price.maximumValue = .decimal(100)
    var flag = AttributeDefinition("flag", .boolean)
    flag.defaultValue = .boolean(true)
    var picture = AttributeDefinition("picture", .binary)
    picture.allowsExternalBinaryDataStorage = true
    picture.preservesValueInHistoryOnDeletion = true
    var identifier = AttributeDefinition("identifier", .uuid)
    identifier.defaultValue = .uuid(try #require(UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA")))
    var address = AttributeDefinition("address", .uri)
    address.defaultValue = .uri(try #require(URL(string: "https://example.com/a?b=c")))
    var tags = AttributeDefinition("tags", .transformable)
    tags.valueTransformerName = "NSSecureUnarchiveFromData"
    tags.attributeValueClassName = "NSArray"
    var ratio = AttributeDefinition("ratio", .double)
    ratio.defaultValue = .double(0.25)
    var scratch = AttributeDefinition("scratch", .string)
    scratch.isTransient = true
    var count = AttributeDefinition("count", .integer64)
    count.derivation = .init(expression: "count:(parts)", filteringPredicate: "title != nil")
    var parts = RelationshipDefinition("parts", toMany: "Part", inverse: "whole", ordered: true)
    parts.deleteRule = .cascade
    parts.minimumCount = 1
    parts.maximumCount = 5
    parts.userInfo = ["k": "v"]
    var favourite = RelationshipDefinition("favourite", toOne: "Part")
    favourite.deleteRule = .deny
    var thing = EntityDefinition("Thing")
    thing.isAbstract = true
    thing.managedObjectClassName = "App.Thing"
    thing.versionHashModifier = "x"
    thing.renamingIdentifier = "Object"
    thing.userInfo = ["color": "red"]
    thing.attributes = [
      address, count, flag, identifier, made, number, picture, price, ratio, scratch, tags, title,
    ]
    thing.relationships = [favourite, parts]
    thing.uniquenessConstraints = [["title", "made"], ["identifier"]]
    thing.compoundIndexes = [["flag", "number"]]
    thing.fetchIndexes = [
      FetchIndexDefinition(
        "byTitleAndDate",
        elements: [.init(.property("title")), .init(.property("made"), isAscending: false)]),
      FetchIndexDefinition("byRatio", elements: [.init(.property("ratio"))], partialIndexPredicate: "flag == 1"),
      FetchIndexDefinition("byLower", elements: [.init(.expression("lowercase:(title)", type: nil))]),
    ]
    var request = FetchRequestTemplate("heavy", entityName: "Part")
    request.predicate = "whole == $FETCH_SOURCE AND weight BETWEEN {1, 2.5}"
    request.fetchLimit = 3
    request.includesSubentities = false
    thing.fetchedProperties = [FetchedPropertyDefinition("heavy", fetchRequest: request)]
    var special = EntityDefinition("Special")
    special.superentityName = "Thing"
    special.attributes = [AttributeDefinition("grade", .integer16)]
    var part = EntityDefinition("Part")
    part.attributes = [AttributeDefinition("weight", .float)]
    part.relationships = [RelationshipDefinition("whole", toOne: "Thing", inverse: "parts")]
    var template = FetchRequestTemplate("recent", entityName: "Thing")
    template.predicate = "made > $DATE AND (title BEGINSWITH[cd] $TEXT OR NOT flag == 1) AND ANY parts.weight >= 1"
    template.fetchBatchSize = 20
    template.returnsDistinctResults = true
    return try ManagedObjectModel(
      entities: [thing, special, part], configurations: ["Small": ["Part"], "All": ["Part", "Special", "Thing"]],
      fetchRequestTemplates: [template], versionIdentifier: "4")
  }

  private static func read(_ archive: [UInt8]) throws -> ModelFile { try CompiledModelReader.read(archive: archive) }

  @Test("an archive with one of everything reads back as the same model, and is the same every time")
  func everything() throws {
    let model = try Self.everything()
    let archive = try CompiledModelWriter.archive(of: model)
    #expect(try CompiledModelWriter.archive(of: model) == archive)
    #expect(try CompiledModelWriter.archive(of: Self.everything()) == archive)
    let file = try Self.read(archive)
    #expect(
      Set(file.warnings.map(\.message)) == [
        "Thing.heavy: the flags 28 of the fetch request heavy were read by a rule that is not confirmed",
        "the flags 31 of the fetch request recent were read by a rule that is not confirmed",
      ])
    #expect(model.firstDifference(toCompiled: file.model) == nil)
    #expect(file.model.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(file.model.entityNamesByConfiguration == model.entityNamesByConfiguration)
    #expect(file.model.fetchRequestTemplates.keys.sorted() == ["recent"])
    #expect(file.model.fetchRequestTemplates["recent"]?.returnsDistinctResults == true)
    #expect(file.model.fetchRequestTemplates["recent"]?.fetchBatchSize == 20)
    #expect(file.model.versionIdentifier == "4")
  }

  @Test(
    "predicates of templates read back as they are written",
    arguments: [
      "title == \"x\"", "title != nil", "number IN {1, 2, 3}", "title CONTAINS[cd] \"a\"", "title MATCHES \"[a-z]+\"",
      "title LIKE[c] \"a*\"", "title ENDSWITH \"z\"", "number BETWEEN {1, $MAX}", "NOT (number < 3)",
      "number > 1 AND (number < 3 OR number == 7)", "ALL parts.weight > 1", "parts.@count > 2",
      "parts.@sum.weight >= 10", "TRUEPREDICATE", "FALSEPREDICATE", "number + 1 > ratio * 2", "SELF == $ONE",
      "made < now()", "favourite.weight >= 1.5", "count:(parts) == 0",
    ])
  func predicates(text: String) throws {
    let model = try Self.everything()
    var template = FetchRequestTemplate("t", entityName: "Thing")
    template.predicate = text
    let with = try ManagedObjectModel(entities: model.definitions, fetchRequestTemplates: [template])
    let file = try Self.read(try CompiledModelWriter.archive(of: with))
    let first = try #require(file.model.fetchRequestTemplates["t"]?.predicate, "\(file.warnings)")
    // Written once more it stays: the text may have other parentheses than the first.
    let again = try Self.read(try CompiledModelWriter.archive(of: file.model))
    #expect(again.model.fetchRequestTemplates["t"]?.predicate == first)
    #expect(try FetchPredicate(parsing: first).generalized == FetchPredicate(parsing: text).generalized)
  }

  @Test("a template whose predicate has no archived form is left out, and the rest is there")
  func leftOut() throws {
    let model = try Self.everything()
    var template = FetchRequestTemplate("t", entityName: "Thing")
    template.predicate = "SUBQUERY(parts, $p, $p.weight > 1).@count > 0"
    let with = try ManagedObjectModel(entities: model.definitions, fetchRequestTemplates: [template])
    let file = try Self.read(try CompiledModelWriter.archive(of: with))
    #expect(file.model.fetchRequestTemplates.isEmpty)
    #expect(file.model.entityVersionHashesByName == with.entityVersionHashesByName)
  }

  @Test(
    "an index with a condition or expression that has no archived form is left out, and its model still has an archive")
  func impossible() throws {
    var entity = EntityDefinition("Item")
    entity.attributes = [AttributeDefinition("a", .integer32), AttributeDefinition("b", .integer32)]
    entity.fetchIndexes = [
      FetchIndexDefinition(
        "odd", elements: [.init(.property("a"))], partialIndexPredicate: "TERNARY(a > 1, a, 2) == 2"),
      FetchIndexDefinition("computed", elements: [.init(.expression("TERNARY(a > 1, 1, 2)", type: "Integer 64"))]),
      FetchIndexDefinition("plain", elements: [.init(.property("b"))], partialIndexPredicate: "a > 1"),
    ]
    let model = try ManagedObjectModel(entities: [entity], validation: .compiled)
    let file = try Self.read(try CompiledModelWriter.archive(of: model))
    #expect(file.model.definitions[0].fetchIndexes.map(\.name) == ["plain"])
    #expect(file.model.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  @Test(
    "every model of the fixtures reads back as itself, with its hashes",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"),
    arguments: FixtureFolder.expected.modelPaths)
  func fixtures(path: String) throws {
    let model = try ModelReader.read(path: FixtureFolder.path(path))
    let file = try Self.read(try CompiledModelWriter.archive(of: model))
    // A composite's type has no name in an archive, so that it is called like the attribute.
    let hasComposites = model.definitions.contains { $0.attributes.contains { $0.composite != nil } }
    if !hasComposites { #expect(model.firstDifference(toCompiled: file.model) == nil) }
    #expect(file.model.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(file.model.fetchRequestTemplates == model.fetchRequestTemplates)
  }

  @Test(
    "what is written of a source equals, field by field, what Apple's framework cached of it",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"), arguments: CachedModelTests.cached)
  func caches(store: String) throws {
    let content = try #require(try CachedModelTests.content(of: store))
    let cached = try RawDeflate.inflate(content, CompiledModelReader.maximumByteCount)
    let source = CachedModelTests.source(of: store)
    let model = try source.map { try ModelReader.read(path: $0) } ?? Self.read(cached).model
    let differences = try ArchiveComparison.differences(try CompiledModelWriter.archive(of: model), cached)
    let allowed = Self.allowed[store] ?? []
    #expect(differences.filter { difference in !allowed.contains { difference.contains($0) } } == [])
    for sign in allowed { #expect(differences.contains { $0.contains(sign) }, "no longer needed: \(sign)") }
  }

  /// Differences by what a source does not say, or by the age of the framework that cached the model.
  private static let allowed = [
    // Made by code, without a source: parts that descriptions have no place for.
    "stores/coredataplus/SampleModel2_V1.sqlite": [
      ".cover.NSDefaultValue", ".cover.NSAttributeValueClassName", ".content.NSAttributeValueClassName",
      ".title.NSValidation", ".NSSortDescriptors", ".NSVersionIdentifiers",
    ],
    // The app's tests took the classes away before they made the store.
    "stores/coredataplus/SampleModel_V2.sqlite": [".NSClassNameForEntity"],
    // The app's module stands in the class names; frameworks of 2016 and 2018 cached indexes in other ways.
    "stores/xcserver/XCServerCoreData_1.2.0.sqlite": [".NSClassNameForEntity", ".NSFetchIndexDescriptions"],
    "stores/xcserver/XCServerCoreData_2.0.0_empty.sqlite": [".NSClassNameForEntity", ".NSFetchIndexDescriptions"],
  ]
}
