import Foundation
import TestSupport
import Testing

@testable import ObjectModel

/// Models declared again in code, with the hashes that Apple's framework gave them in published stores.
@Suite("Version hashes")
struct VersionHashTests {
  /// The model of a published store: a derived attribute, inheritance, and -1 for "no limit".
  static func bookshop() -> [EntityDefinition] {
    func attribute(_ name: String, _ type: AttributeType, optional: Bool = false) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, type)
      attribute.isOptional = optional
      return attribute
    }
    func toOne(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDefinition {
      var relationship = RelationshipDefinition(name, toOne: destination, inverse: inverse)
      relationship.isOptional = false
      relationship.minimumCount = 1
      return relationship
    }
    var writer = EntityDefinition("Writer")
    writer.isAbstract = true
    writer.attributes = [attribute("age", .integer16)]
    var author = EntityDefinition("Author")
    author.superentityName = "Writer"
    author.attributes = [attribute("alias", .string), attribute("siteURL", .uri, optional: true)]
    var books = RelationshipDefinition("books", toMany: "Book", inverse: "author")
    books.maximumCount = -1
    author.relationships = [books]
    author.fetchedProperties = [
      FetchedPropertyDefinition("feedbacks", fetchRequest: FetchRequestTemplate("f", entityName: "Feedback"))
    ]
    author.uniquenessConstraints = [["alias"]]
    var pagesCount = attribute("pagesCount", .integer64, optional: true)
    pagesCount.derivation = AttributeDefinition.Derivation(expression: "count:(pages)")
    var book = EntityDefinition("Book")
    book.attributes = [
      attribute("cover", .transformable), attribute("price", .decimal), attribute("publishedAt", .date),
      attribute("title", .string), attribute("uniqueID", .uuid), pagesCount,
    ]
    var pages = RelationshipDefinition("pages", toMany: "Page", inverse: "book")
    pages.isOptional = false
    pages.minimumCount = 1
    pages.maximumCount = 10_000
    book.relationships = [toOne("author", "Author", "books"), pages]
    book.uniquenessConstraints = [["uniqueID"]]
    var novel = EntityDefinition("GraphicNovel")
    novel.superentityName = "Book"
    novel.attributes = [attribute("isBlackAndWhite", .boolean)]
    var page = EntityDefinition("Page")
    page.attributes = [
      attribute("content", .transformable), attribute("isBookmarked", .boolean), attribute("number", .integer32),
    ]
    page.relationships = [toOne("book", "Book", "pages")]
    var feedback = EntityDefinition("Feedback")
    feedback.attributes = [
      attribute("authorAlias", .string), attribute("bookID", .uuid), attribute("comment", .string, optional: true),
      attribute("rating", .double),
    ]
    return [writer, author, book, novel, page, feedback]
  }

  @Test("a published store's hashes come out of its model, declared in code")
  func published() throws {
    let model = try ManagedObjectModel(entities: Self.bookshop())
    #expect(
      model.entityVersionHashesByName.mapValues(\.hexadecimal) == [
        "Author": "07b88ab76fbdf3d701c85688e9b0820f0cdae6bc2c31d24d1fdc115251d13d12",
        "Book": "01e4ee17f1b2903db05607419b4a713d72df80c90b4510b83a60b9135323f5e7",
        "Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc",
        "GraphicNovel": "a6863b3ebf06bded0c0d93ebd416e74ef2f4df96b69cb070206a2d39592f3316",
        "Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171",
        "Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25",
      ])
    #expect(
      model.versionHashesDigest
        == "4DP4SkxuqaFe8F0JOiaajNQd9cjhjuifuGFD+7WFwVrRgDlG0FZC2nQvTPW2p0clmWgFv1jqkZ5RNGPr6GhOJA==")
    #expect(model.entities.allSatisfy { !$0.restsOnUnconfirmedHashRule })
  }

  @Test("the smallest entity's hash is spelled out")
  func smallest() throws {
    let model = try ManagedObjectModel(entities: [EntityDefinition("A")])
    // SHA-256 of the bytes 41 00; SHA-512 of 41 and that; SHA-256 of that.
    #expect(model["A"]?.versionHash.hexadecimal == "e61c21ca716b3b1aefb7d1198f83679c4ca4d596e5792275dd6203b49216237d")
    #expect(
      model.versionHashesDigest
        == "kzrlpl1yzXKTbUOw7z2qng5N6UxYGAuBOrlw+bSfJ0UmMgttDftvIhHxjIzabmLwxJvsPp9+aqJ4CuHEgjVNYQ==")
    #expect(model.versionChecksum == "DHRWepD/BOBiIrm2M+eY1MkGa5D11wjKNDoG8ejWZE0=")
  }

  @Test("everything that should change a hash does")
  func sensitive() throws {
    let base = try #require(try hash { _ in })
    let changes: [(inout EntityDefinition) -> Void] = [
      { $0.isAbstract = true }, { $0.versionHashModifier = "x" }, { $0.attributes[0].name = "b" },
      { $0.attributes[0].type = .uri }, { $0.attributes[0].isOptional = false },
      { $0.attributes[0].isTransient = true }, { $0.attributes[0].versionHashModifier = "x" },
      { $0.attributes[0].allowsExternalBinaryDataStorage = true }, { $0.relationships[0].isOrdered = true },
      { $0.relationships[0].minimumCount = 1 }, { $0.relationships[0].maximumCount = 5 },
      { $0.relationships[0].isOptional = false }, { $0.uniquenessConstraints = [["a"]] },
      { $0.relationships[0].inverseName = "r" },
      { $0.attributes[0].derivation = AttributeDefinition.Derivation(expression: "r.a") },
    ]
    var hashes: Set<Data> = [base]
    // Being its own inverse is the one change that enters no hash.
    for change in changes { hashes.insert(try #require(try hash(change))) }
    #expect(hashes.count == changes.count)
  }

  @Test("class names, defaults, validation, rules, indexes and user info change no hash")
  func insensitive() throws {
    let changes: [(inout EntityDefinition) -> Void] = [
      { $0.managedObjectClassName = "X" }, { $0.userInfo = ["a": "b"] }, { $0.renamingIdentifier = "B" },
      { $0.attributes[0].defaultValue = .string("x") }, { $0.attributes[0].maximumValue = .integer(9) },
      { $0.attributes[0].regularExpression = "x" }, { $0.attributes[0].usesScalarValueType = true },
      { $0.attributes[0].validationRules = [AttributeDefinition.ValidationRule(predicate: "SELF != 'x'")] },
      { $0.attributes[0].isIndexed = true }, { $0.relationships[0].deleteRule = .deny },
      { $0.fetchIndexes = [FetchIndexDefinition("i", elements: [.init(.property("a"))])] },
    ]
    let base = try hash { _ in }
    for change in changes { #expect(try hash(change) == base) }
  }

  private func hash(_ change: (inout EntityDefinition) -> Void) throws -> Data? {
    var entity = EntityDefinition("A")
    entity.attributes = [AttributeDefinition("a", .string)]
    entity.relationships = [RelationshipDefinition("r", toMany: "A")]
    change(&entity)
    return try ManagedObjectModel(entities: [entity])["A"]?.versionHash
  }

  @Test("what no Apple-made store confirms is marked, in sub-entities too")
  func unconfirmed() throws {
    var entity = EntityDefinition("A")
    var stamp = AttributeDefinition("stamp", .date)
    stamp.derivation = AttributeDefinition.Derivation(expression: "now()")
    entity.attributes = [stamp, AttributeDefinition("größe", .double), AttributeDefinition("any", .undefined)]
    var child = EntityDefinition("B")
    child.superentityName = "A"
    let model = try ManagedObjectModel(entities: [entity, child])
    let reasons = [
      "any: a stored attribute of type Undefined", "größe: a name with letters outside ASCII",
      "stamp: the text of the derivation expression now()",
    ]
    #expect(model["A"]?.unconfirmedHashReasons == reasons)
    #expect(model["B"]?.unconfirmedHashReasons == reasons)
  }

  @Test(
    "derivation expressions become predicate-format text",
    arguments: [
      ("author.name", "author.name", true), (" author . name ", "author.name", true),
      ("count:(pages)", "count:(pages)", true), ("count:( pages )", "count:(pages)", true),
      ("canonical:(name)", "canonical:(name)", false), ("canonical:( name )", "canonical:(name)", false),
      ("now()", "now()", false), (" pages.@count ", "pages.@count", false), ("a b", "a b", false),
      ("size", "size", false), ("", "", false), (".", ".", false), ("count:()", "count:()", false),
      ("count:(a.b.c)", "count:(a.b.c)", true), ("1a", "1a", false),
    ])
  func expressions(text: String, expected: String, isConfirmed: Bool) {
    let expression = DerivationExpression(text)
    #expect(expression.predicateFormat == expected)
    #expect(expression.isConfirmed == isConfirmed)
  }
}
