import CoreDataLayout
import Foundation
import ObjectModel
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("names of tables and columns")
struct LayoutNameTests {
  private static func entity(
    _ name: String, _ attributes: [AttributeDefinition] = [], _ relationships: [RelationshipDefinition] = [],
    parent: String? = nil
  ) -> EntityDefinition {
    var entity = EntityDefinition(name)
    entity.attributes = attributes
    entity.relationships = relationships
    entity.superentityName = parent
    return entity
  }

  private static func columns(_ layout: StoreLayout, _ table: Int = 0) -> [String] {
    layout.tables[table].columns.dropFirst(3).map { "\($0.name) \($0.sqlType)" }
  }

  /// Makes a store with one row per entity and seals it, checks included.
  private func exercise(_ model: ManagedObjectModel) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let store = try SQLiteStore.create(path: path, model: model)
    for entity in model.entities where !entity.isAbstract {
      let key = try store.reservePrimaryKeys(1, for: entity)
      try store.insert(makeBatch(entity, [], [[]]), keys: [key])
      #expect(try store.count(FetchSpecification(entity)) >= 1)
    }
    try store.seal()
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)
  }

  @Test("names that are equal in upper case get numbers, in the order of creation")
  func equalInUpperCase() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity(
        "Item",
        [
          .init("name", .string), .init("Name", .integer16), .init("NAME", .double), .init("_pk", .integer64),
          .init("Owner", .string),
        ], [.init("owner", toOne: "Item")])
    ])
    let layout = StoreLayout(model: model)
    #expect(
      Self.columns(layout) == [
        "ZNAME1 INTEGER", "Z_PK1 INTEGER", "ZOWNER1 INTEGER", "ZNAME FLOAT", "ZOWNER VARCHAR", "ZNAME2 VARCHAR",
      ])
    try exercise(model)
  }

  @Test("tables that are equal in upper case, or called as the bookkeeping is, get numbers and a note")
  func equalTables() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity("Item", [.init("a", .string)]), Self.entity("ITEM", [.init("b", .string)]),
      Self.entity("_metadata", [.init("c", .string)]), Self.entity("_PrimaryKey"),
    ])
    let layout = StoreLayout(model: model)
    #expect(layout.tables.map(\.name).sorted() == ["ZITEM", "ZITEM1", "Z_METADATA1", "Z_PRIMARYKEY1"])
    #expect(layout.notes.count == 3)
    try exercise(model)
  }

  @Test("words that SQL reserves are names like others, since a Z stands before them")
  func reservedWords() throws {
    let words = ["select", "order", "group", "index", "table", "where", "null", "default", "values", "rowid"]
    let model = try ManagedObjectModel(entities: [
      Self.entity("Order", words.map { .init($0, .string) }, [.init("from", toOne: "Select", inverse: "to")]),
      Self.entity("Select", [.init("transaction", .date)], [.init("to", toMany: "Order", inverse: "from")]),
    ])
    try exercise(model)
    #expect(Self.columns(StoreLayout(model: model)).count == words.count + 1)
  }

  @Test("letters outside ASCII become capital as Unicode says, whatever the language, and are not normalised")
  func letters() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity(
        "Straße", [.init("größe", .string), .init("ёлка", .string), .init("iç", .integer16), .init("名前", .string)],
        [.init("überall", toMany: "Straße", inverse: "überall")])
    ])
    let layout = StoreLayout(model: model)
    #expect(
      layout.tableStatements == [
        "CREATE TABLE ZSTRASSE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIÇ INTEGER, "
          + "ZGRÖSSE VARCHAR, ZЁЛКА VARCHAR, Z名前 VARCHAR )",
        "CREATE TABLE Z_1ÜBERALL ( Z_1ÜBERALL INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1ÜBERALL, REFLEXIVE) )",
      ])
    try exercise(model)
  }

  @Test("every attribute type has its column type, and columns stand in the order of the types")
  func types() throws {
    let types: [AttributeType] = [
      .binary, .transformable, .uri, .uuid, .string, .undefined, .decimal, .float, .double, .date, .boolean, .integer64,
      .integer32, .integer16,
    ]
    let model = try ManagedObjectModel(entities: [
      Self.entity("Sample", types.enumerated().map { .init("a\(9 + $0)", $1) })
    ])
    #expect(
      Self.columns(StoreLayout(model: model)) == [
        "ZA19 INTEGER", "ZA20 INTEGER", "ZA21 INTEGER", "ZA22 INTEGER", "ZA16 FLOAT", "ZA17 FLOAT", "ZA18 TIMESTAMP",
        "ZA15 DECIMAL", "ZA13 VARCHAR", "ZA14 VARCHAR", "ZA12 BLOB", "ZA11 VARCHAR", "ZA10 BLOB", "ZA9 BLOB",
      ])
    try exercise(model)
  }

  @Test("composites of composites have a column per leaf, numbered where leaves are called alike")
  func composites() throws {
    var street = AttributeDefinition("street", .composite)
    street.composite = .init(name: "Street", elements: [.init("name", .string), .init("number", .integer16)])
    var home = AttributeDefinition("home", .composite)
    home.composite = .init(name: "Address", elements: [street, .init("town", .string)])
    var work = home
    work.name = "work"
    let model = try ManagedObjectModel(entities: [Self.entity("Person", [home, work, .init("town", .string)])])
    let layout = StoreLayout(model: model)
    let person = try model.required("Person")
    #expect(
      Self.columns(layout) == [
        "ZNUMBER INTEGER", "ZNUMBER1 INTEGER", "ZNAME VARCHAR", "ZTOWN VARCHAR", "ZTOWN1 VARCHAR", "ZNAME1 VARCHAR",
        "ZTOWN2 VARCHAR",
      ])
    #expect(layout.column(for: "work.street.name", of: person)?.name == "ZNAME1")
    try exercise(model)
  }

  @Test("leaves are numbered in the order of the elements, not of their names")
  func elementOrder() throws {
    func composite(_ name: String, _ elements: [AttributeDefinition]) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, .composite)
      attribute.composite = .init(name: name, elements: elements)
      return attribute
    }
    var cache = AttributeDefinition("id", .string)
    cache.isTransient = true
    // As a published app's store has it: `author.id` comes before the entity's own `id`.
    let author = composite("author", [.init("name", .string), .init("id", .uuid)])
    let post = composite(
      "post", [composite("z", [cache, .init("ID", .date)]), composite("a", [.init("id", .double)])])
    let model = try ManagedObjectModel(entities: [
      Self.entity("Note", [.init("id", .integer64), author, post], [.init("name", toOne: "Note")]),
      Self.entity("Draft", [composite("body", [.init("text", .string), .init("Name", .string)])], parent: "Note"),
    ])
    let layout = StoreLayout(model: model)
    let draft = try model.required("Draft")
    let names = ["author.name", "author.id", "id", "post.z.ID", "post.a.id", "body.text", "body.Name"].map {
      layout.column(for: $0, of: draft)?.name
    }
    #expect(names == ["ZNAME", "ZID", "ZID1", "ZID2", "ZID3", "ZTEXT", "ZNAME2"])
    #expect(layout.foreignKeyColumn(of: try #require(draft.relationship("name")))?.name == "ZNAME1")
    #expect(layout.column(for: "post.z.id", of: draft) == nil)
    try exercise(model)
  }

  @Test("columns of random composites are named as a slow twin names them")
  func randomComposites() throws {
    var random = SeededGenerator(seed: 4)
    func make(_ name: String, _ depth: Int) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, [.string, .integer16, .date].randomElement(using: &random) ?? .string)
      if depth < 3, Int.random(in: 0..<3, using: &random) == 0 {
        var names = Set((0..<Int.random(in: 0...3, using: &random)).map { _ in word() })
        if depth == 0 { names.insert("name") }
        attribute = AttributeDefinition(name, .composite)
        attribute.composite = .init(
          name: name, elements: names.sorted().shuffled(using: &random).map { make($0, depth + 1) })
      }
      attribute.isTransient = depth > 0 && Int.random(in: 0..<8, using: &random) == 0
      return attribute
    }
    func word() -> String { ["name", "Name", "id", "name1", "x", "town"].randomElement(using: &random) ?? "x" }
    for number in 0..<60 {
      let names = Set((0..<5).map { _ in word() })
      let attributes = names.sorted().map { make($0, 0) }
      let model = try ManagedObjectModel(entities: [Self.entity("Item", attributes.shuffled(using: &random))])
      let layout = StoreLayout(model: model)
      var taken: Set<String> = []
      func walk(_ attribute: AttributeDefinition, _ path: String) throws {
        if attribute.isTransient { return }
        if let elements = attribute.composite?.elements {
          return try elements.forEach { try walk($0, path + "." + $0.name) }
        }
        let plain = "Z" + attribute.name.uppercased()
        let name = taken.contains(plain) ? (1...).lazy.map { plain + "\($0)" }.first { !taken.contains($0) } : plain
        taken.insert(name ?? "")
        #expect(layout.column(for: path, of: try model.required("Item"))?.name == name, "\(number) \(path)")
      }
      for attribute in attributes { try walk(attribute, attribute.name) }
      #expect(layout.tables[0].columns.count == 3 + taken.count)
      if number < 5 { try exercise(model) }
    }
  }

  @Test("a relationship to an entity with sub-entities has an entity column, one without inverse as well")
  func polymorphism() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity("Animal", [], [.init("owner", toOne: "Person", inverse: "animals")]),
      Self.entity("Dog", [], [.init("toys", toMany: "Toy")], parent: "Animal"),
      Self.entity("Puppy", [], [], parent: "Dog"),
      Self.entity(
        "Person", [], [.init("animals", toMany: "Animal", inverse: "owner"), .init("favourite", toOne: "Dog")]),
      Self.entity("Toy"),
    ])
    let layout = StoreLayout(model: model)
    #expect(layout.entitiesByNumber.map(\.name) == ["Animal", "Dog", "Puppy", "Person", "Toy"])
    #expect(Self.columns(layout, 0) == ["ZOWNER INTEGER"])
    #expect(Self.columns(layout, 1) == ["ZFAVOURITE INTEGER", "Z2_FAVOURITE INTEGER"])
    #expect(Self.columns(layout, 2) == ["Z2TOYS INTEGER", "Z2_2TOYS INTEGER"])
    #expect(layout.indexes.map(\.name).contains("ZTOY_Z2TOYS_INDEX"))
    #expect(layout.indexes.map(\.name).contains("ZANIMAL_Z_ENT_INDEX"))
    try exercise(model)
  }

  @Test("a join table is called after the side that is visited first, which may be an inherited one")
  func inheritedJoin() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity("AlbumList", [], [.init("albums", toMany: "GenericAlbum", inverse: "albumLists", ordered: true)]),
      Self.entity("GenericAlbum", [], [.init("albumLists", toMany: "AlbumList", inverse: "albums")]),
      Self.entity("Album", [], [], parent: "GenericAlbum"),
    ])
    #expect(
      StoreLayout(model: model).joinTables.map(\.createStatement) == [
        "CREATE TABLE Z_2ALBUMLISTS ( Z_2ALBUMS INTEGER, Z_1ALBUMLISTS INTEGER, Z_FOK_2ALBUMS INTEGER, "
          + "PRIMARY KEY (Z_2ALBUMS, Z_1ALBUMLISTS) )"
      ])
    try exercise(model)
  }

  @Test("join columns that would be called alike get a number in the hierarchy that they refer to")
  func collidingJoinColumns() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity(
        "Area", [], [.init("boxes", toMany: "Box", inverse: "areas"), .init("cans", toMany: "Can", inverse: "areas")]),
      Self.entity("Box", [], [.init("areas", toMany: "Area", inverse: "boxes")]),
      Self.entity("Can", [], [.init("areas", toMany: "Area", inverse: "cans")]),
    ])
    let joins = StoreLayout(model: model).joinTables
    #expect(Set(joins.map(\.name)) == ["Z_1BOXES", "Z_1CANS"])
    #expect(Set(joins.map(\.master.ownerColumn)) == ["Z_1AREAS", "Z_1AREAS1"])
    #expect(Set(joins.map(\.master.memberColumn)) == ["Z_2BOXES", "Z_3CANS"])
    try exercise(model)
  }

  @Test("a relationship that is its own inverse refers to its entity twice, with two orders when it is ordered")
  func reflexiveJoin() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity("Word", [], [.init("synonyms", toMany: "Word", inverse: "synonyms", ordered: true)])
    ])
    #expect(
      StoreLayout(model: model).joinTables.map(\.createStatement) == [
        "CREATE TABLE Z_1SYNONYMS ( Z_1SYNONYMS INTEGER, REFLEXIVE INTEGER, Z_FOK_1SYNONYMS INTEGER, "
          + "FOK_REFLEXIVE INTEGER, PRIMARY KEY (Z_1SYNONYMS, REFLEXIVE) )"
      ])
    try exercise(model)
  }

  @Test("ordered relationships have an order column where their to-one inverse is, after the columns of all entities")
  func orderColumns() throws {
    let model = try ManagedObjectModel(entities: [
      Self.entity("List", [], [.init("entries", toMany: "Entry", inverse: "list", ordered: true)]),
      Self.entity("Entry", [.init("rank", .integer16)], [.init("list", toOne: "List", inverse: "entries")]),
      Self.entity("SubEntry", [.init("extra", .integer16)], [], parent: "Entry"),
    ])
    let layout = StoreLayout(model: model)
    #expect(
      Self.columns(layout) == ["ZRANK INTEGER", "ZLIST INTEGER", "ZEXTRA INTEGER", "Z_FOK_LIST INTEGER"])
    try exercise(model)
  }
}
