import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// Reads the model `Library` of our own writing, which has one of every feature in its second version.
@Suite("A model with one of everything")
struct LibraryModelTests {
  let file: ModelFile
  var model: ManagedObjectModel { file.model }

  init() throws {
    file = try ModelReader.readFile(path: OwnModels.library)
  }

  func attribute(_ name: String, of entity: String = "Book") throws -> AttributeDefinition {
    try #require(model[entity]?.attribute(name))
  }

  @Test("the current version is read, and nothing in it is unknown")
  func current() {
    #expect(file.versionName == "Library 2")
    #expect(file.path.hasSuffix("Library.xcdatamodeld/Library 2.xcdatamodel/contents"))
    #expect(file.warnings.isEmpty)
    #expect(model.versionIdentifier == "2")
    #expect(model.entities.map(\.name) == ["Author", "Book", "Loan", "Publication"])
  }

  @Test("entities keep parents, classes, modifiers, renaming identifiers and user info")
  func entities() throws {
    let book = try #require(model["Book"])
    #expect(book.superentity?.name == "Publication")
    #expect(book.root.isAbstract && !book.isAbstract)
    #expect(book.definition.managedObjectClassName == ".Book")
    #expect(book.definition.codeGenerationType == "category")
    #expect(book.definition.renamingIdentifier == "Volume")
    let publication = try #require(model["Publication"])
    #expect(publication.definition.versionHashModifier == "loans")
    #expect(publication.definition.userInfo == ["owner": "catalogue"])
    #expect(publication.subentities == [book])
  }

  @Test("default values have the type of their attribute")
  func defaults() throws {
    #expect(try attribute("title").defaultValue == .string("Untitled"))
    #expect(try attribute("listPrice").defaultValue == .decimal(Decimal(999) / 100))
    #expect(try attribute("pageCount").defaultValue == .integer(0))
    #expect(try attribute("published").defaultValue == .date(Date(timeIntervalSinceReferenceDate: 86_400)))
    #expect(try attribute("rating").defaultValue == .double(Double(Float(0.1))))
    #expect(try attribute("weight").defaultValue == .double(-0.0015))
    #expect(try attribute("isActive", of: "Author").defaultValue == .boolean(true))
    let token = try #require(UUID(uuidString: "8D8AC610-566D-4EF0-9C22-186B2A5ED793"))
    #expect(try attribute("token", of: "Author").defaultValue == .uuid(token))
    let site = try #require(URL(string: "https://example.org/books"))
    #expect(try attribute("site").defaultValue == .uri(site))
    #expect(try attribute("cover").defaultValue == .null)
  }

  @Test("minimum, maximum and regular expression are read")
  func validation() throws {
    let title = try attribute("title")
    #expect(title.minimumValue == .integer(1) && title.maximumValue == .integer(200))
    #expect(title.regularExpression == #"\S.*"#)
    #expect(try attribute("listPrice").maximumValue == .decimal(Decimal(99_999) / 100))
    #expect(try attribute("rating").maximumValue == .double(5))
    #expect(try attribute("published").minimumValue == .date(Date(timeIntervalSinceReferenceDate: -3_155_760_000)))
    #expect(try attribute("published").maximumValue == .date(Date(timeIntervalSinceReferenceDate: 3_155_760_000.5)))
  }

  @Test("attribute types and flags are read")
  func attributes() throws {
    let types = try #require(model["Book"]).attributes.map { "\($0.name) \($0.type)" }
    #expect(
      types == [
        "cover binary", "dimensions composite", "identifier uuid", "isbn string", "keywords transformable",
        "listPrice decimal", "loanCount integer64", "pageCount integer32", "published date", "rating float",
        "scratch undefined", "site uri", "subtitle string", "title string", "weight double",
      ])
    #expect(try attribute("cover").allowsExternalBinaryDataStorage)
    #expect(try attribute("isbn").preservesValueInHistoryOnDeletion)
    #expect(try !attribute("isbn").isOptional)
    #expect(try attribute("scratch").isTransient)
    #expect(try attribute("keywords").valueTransformerName == "NSSecureUnarchiveFromData")
    #expect(try attribute("keywords").attributeValueClassName == "[String]")
    #expect(try attribute("loanCount").derivation?.expression == "count:(loans)")
    #expect(try attribute("pageCount").usesScalarValueType)
    #expect(try attribute("pageCount").versionHashModifier == "wide")
    #expect(try attribute("subtitle").renamingIdentifier == "byline")
    #expect(try attribute("name", of: "Author").isIndexed)
  }

  @Test("composites nest, and their stored leaves have dotted paths")
  func composites() throws {
    let dimensions = try #require(try attribute("dimensions").composite)
    #expect(dimensions.name == "Dimensions")
    #expect(dimensions.elements.map(\.name) == ["width", "height", "unit"])
    let leaves = try #require(model["Book"]).storedLeaves.map(\.path)
    #expect(
      leaves == [
        "cover", "dimensions.height", "dimensions.unit.symbol", "dimensions.width", "identifier", "isbn", "keywords",
        "listPrice", "loanCount", "pageCount", "published", "rating", "site", "subtitle", "title", "weight",
      ])
  }

  @Test("relationships keep counts, order, rules and inverses")
  func relationships() throws {
    let book = try #require(model["Book"])
    let authors = try #require(book.relationship("authors"))
    #expect(authors.isToMany && authors.isOrdered && !authors.definition.isOptional)
    #expect(authors.definition.minimumCount == 1 && authors.definition.maximumCount == 12)
    #expect(authors.destination.name == "Author")
    #expect(authors.inverse?.name == "books")
    #expect(authors.inverse?.inverse == authors)
    let rules = book.relationships.map(\.definition.deleteRule)
    #expect(rules == [.nullify, .deny, .nullify])
    #expect(try #require(book.relationship("related")).isOwnInverse)
    let loanBook = try #require(model["Loan"]?.relationship("book")).definition
    #expect(loanBook.deleteRule == .cascade && loanBook.maximumCount == 1 && loanBook.minimumCount == 1)
    #expect(loanBook.versionHashModifier == "strict" && loanBook.userInfo == ["why": "a < b"])
    let mentor = try #require(model["Author"]?.relationship("mentor"))
    #expect(mentor.inverse == nil && mentor.definition.deleteRule == .noAction)
    #expect(model["Author"]?.relationship("books")?.definition.renamingIdentifier == "volumes")
    #expect(model["Author"]?.relationship("books")?.definition.maximumCount == 0)
  }

  @Test("constraints and indexes are read, inherited constraints first")
  func indexes() throws {
    let book = try #require(model["Book"])
    #expect(book.uniquenessConstraints == [["identifier"], ["title", "isbn"], ["isbn"]])
    typealias Element = FetchIndexDefinition.Element
    #expect(
      book.definition.fetchIndexes == [
        FetchIndexDefinition(
          "byPublished",
          elements: [
            Element(.property("published"), isAscending: false), Element(.expression("self", type: "Integer 64")),
          ], partialIndexPredicate: "pageCount > 0"),
        FetchIndexDefinition(
          "bySize",
          elements: [
            Element(.property("dimensions.height"), kind: .rTree), Element(.property("weight"), kind: .rTree),
          ]),
      ])
    #expect(model["Author"]?.definition.compoundIndexes == [["name", "isActive"]])
  }

  @Test("fetch requests, fetched properties and configurations are read")
  func fetching() throws {
    var overdue = FetchRequestTemplate("overdue", entityName: "Loan", predicate: "due < $NOW")
    overdue.fetchLimit = 100
    overdue.fetchBatchSize = 20
    overdue.resultType = 1
    overdue.includesSubentities = false
    overdue.includesPropertyValues = false
    overdue.includesPendingChanges = false
    overdue.returnsObjectsAsFaults = false
    overdue.returnsDistinctResults = true
    #expect(model.fetchRequestTemplates == ["overdue": overdue])
    let recent = try #require(model["Author"]?.definition.fetchedProperties.first)
    #expect(recent.name == "recentBooks" && recent.fetchRequest.predicate == "published > $SINCE")
    #expect(recent.fetchRequest.fetchLimit == 5)
    #expect(model.entityNamesByConfiguration == ["Cloud": ["Book", "Author"]])
    #expect(model.entities(inConfiguration: "Cloud")?.map(\.name) == ["Author", "Book"])
    #expect(model.entities(inConfiguration: "Local") == nil)
  }

  /// The values come from an independent implementation of the rules in another language.
  @Test(
    "version hashes are as computed independently",
    arguments: [
      (
        "Library",
        [
          "Author": "a6326723ba2c23b42b0de7eea36201780d39ea1807f28cf0f0e28c40a7b5dffc",
          "Publication": "8e32304deac49fd6b38ce5c881992dee0cb3014cb117151a27cea298aabf4d6e",
          "Volume": "35b2b3768f896fa8f2bf3dacea7e3cca5a4d0c5291769184934254a3e8345dc1",
        ],
        "glCb5rKJgzgfKU7rkqkWiKxnuZw06mc+zKnD/VWadAFG8rzsTKKJtmU9JWW4be10KoM+WahncBeKX+MN26os3g==",
        "x8eduPbRsZxI9Cw1sBdOD9/61Acm1xMtSiyX0OLhhrE="
      ),
      (
        "Library 2",
        [
          "Author": "e213d912be974ed379c4a1c797f37ba39c7cc2fc3343914f52e1d490dfe259b4",
          "Book": "34e0d0e0462f6ffbe95bb83b3285c91cb6225e772b812541b100c42e2d6fcd0f",
          "Loan": "1afc35e12fde6f0faafa5b85020d2bd417d04c91168a2f5214d5ab9cf99c7930",
          "Publication": "4f05ca464fca176b733d7800c9e678140fdc749be1be10f77ec9b9312e873d6c",
        ],
        "+wv/GtGiTkM7sSKByOmSFAhguTTnoHHCqp1gW8maansfhGxgvCy+yYSeWRbYG3GtelESNEe+k303Kj2ixl88eQ==",
        "YbSs4mXY8NKkzqudFe1fDq8ThzNbN2AQBv1fITxPN/E="
      ),
    ])
  func hashes(version: String, expected: [String: String], digest: String, checksum: String) throws {
    let path = OwnModels.library
    let model = try ModelReader.read(path: path, version: version)
    #expect(model.entityVersionHashesByName.mapValues(\.hexadecimal) == expected)
    #expect(model.versionHashesDigest == digest)
    #expect(model.versionChecksum == checksum)
  }

  @Test("every hash rests on confirmed rules, that of the composite too")
  func unconfirmed() {
    #expect(model.entities.filter(\.restsOnUnconfirmedHashRule).map(\.name) == [])
  }

  @Test("the differences between the two versions are those that were made")
  func differences() throws {
    let path = OwnModels.library
    let older = try ModelReader.read(path: path, version: "Library")
    let texts = older.differences(to: model).map(\.description)
    #expect(texts.contains("Book: renamed from Volume"))
    #expect(texts.contains("Book.pageCount: type changed from integer16 to integer32"))
    #expect(texts.contains("Author.books: renamed from volumes"))
    #expect(texts.contains("Book.author: removed"))
    #expect(texts.contains("Loan: added"))
    #expect(texts.contains("Publication uniqueness constraint (identifier): added"))
    #expect(texts.contains("Publication fetch index byTitle: added"))
    #expect(texts.contains("Publication.title: default value changed from \"\" to \"Untitled\""))
    #expect(model.differences(to: model).isEmpty)
  }
}
