import CoreDataLayout
import ObjectModel
import TestStores
import Testing

@Suite("layout of models of our own")
struct LayoutTests {
  private func statements(_ entities: [EntityDefinition]) throws -> [String] {
    StoreLayout(model: try ManagedObjectModel(entities: entities)).tableStatements
  }

  @Test("a hierarchy shares a table, and columns are grouped by type")
  func inheritance() throws {
    let layout = StoreLayout(model: try Models.transit())
    #expect(
      layout.tableStatements == [
        "CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z5NOTES INTEGER, ZTEXT VARCHAR )",
        "CREATE TABLE ZPLACE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZZONE INTEGER, "
          + "ZPARENT INTEGER, Z2_PARENT INTEGER, Z_FOK_PARENT INTEGER, ZLATITUDE FLOAT, ZLONGITUDE FLOAT, "
          + "ZNAME VARCHAR, ZIDENTIFIER VARCHAR )",
        "CREATE TABLE Z_3NEIGHBOURS ( Z_3NEIGHBOURS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_3NEIGHBOURS, REFLEXIVE) )",
        "CREATE TABLE Z_3TRANSFERSFROM ( Z_3TRANSFERSTO INTEGER, Z_3TRANSFERSFROM INTEGER, "
          + "PRIMARY KEY (Z_3TRANSFERSTO, Z_3TRANSFERSFROM) )",
        "CREATE TABLE ZROUTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE VARCHAR, ZCOLOUR VARCHAR )",
        "CREATE TABLE Z_5STOPS ( Z_5ROUTES INTEGER, Z_3STOPS INTEGER, Z_FOK_3STOPS INTEGER, "
          + "PRIMARY KEY (Z_5ROUTES, Z_3STOPS) )",
      ])
  }

  @Test("numbers go depth first, by name without regard to case")
  func numbers() throws {
    var child = EntityDefinition("zebra")
    child.superentityName = "Alpha"
    let model = try ManagedObjectModel(entities: [
      EntityDefinition("SyncFeature"), EntityDefinition("SyncableSettings"), EntityDefinition("beta"),
      EntityDefinition("Alpha"), child,
    ])
    let layout = StoreLayout(model: model)
    #expect(layout.entitiesByNumber.map(\.name) == ["Alpha", "zebra", "beta", "SyncableSettings", "SyncFeature"])
    #expect(layout.entity(number: 2)?.name == "zebra")
    #expect(layout.entity(number: 6) == nil)
  }

  @Test("a name that the table has already gets a number")
  func collisions() throws {
    var message = EntityDefinition("Message")
    var first = EntityDefinition("SystemMessage")
    first.superentityName = "Message"
    first.attributes = [.init("text", .string)]
    var second = EntityDefinition("TextMessage")
    second.superentityName = "Message"
    second.attributes = [.init("text", .string)]
    message.attributes = [.init("sent", .date)]
    #expect(
      try statements([message, first, second]) == [
        "CREATE TABLE ZMESSAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSENT TIMESTAMP, "
          + "ZTEXT VARCHAR, ZTEXT1 VARCHAR )"
      ])
  }

  @Test("an album's ordered assets are joined under the album's name")
  func orderedManyToMany() throws {
    var album = EntityDefinition("Album")
    album.relationships = [.init("assets", toMany: "Asset", inverse: "albums", ordered: true)]
    var asset = EntityDefinition("Asset")
    asset.relationships = [.init("albums", toMany: "Album", inverse: "assets")]
    let layout = StoreLayout(model: try ManagedObjectModel(entities: [album, asset]))
    #expect(
      layout.joinTables.map(\.createStatement) == [
        "CREATE TABLE Z_1ASSETS ( Z_1ALBUMS INTEGER, Z_2ASSETS INTEGER, Z_FOK_2ASSETS INTEGER, "
          + "PRIMARY KEY (Z_1ALBUMS, Z_2ASSETS) )"
      ])
  }

  @Test("two relationships between the same entities get a join table each")
  func twoJoinTables() throws {
    var user = EntityDefinition("User")
    user.relationships = [
      .init("liked", toMany: "Post", inverse: "users"), .init("read", toMany: "Post", inverse: "readers"),
    ]
    var post = EntityDefinition("Post")
    post.relationships = [
      .init("users", toMany: "User", inverse: "liked"), .init("readers", toMany: "User", inverse: "read"),
    ]
    let layout = StoreLayout(model: try ManagedObjectModel(entities: [user, post]))
    #expect(Set(layout.joinTables.map(\.name)) == ["Z_1USERS", "Z_1READERS"])
  }

  @Test("composites have a column per leaf, named after the leaf alone")
  func composites() throws {
    var place = EntityDefinition("Place")
    var address = AttributeDefinition("address", .composite)
    address.composite = .init(name: "Address", elements: [.init("street", .string), .init("number", .integer16)])
    place.attributes = [address]
    let layout = StoreLayout(model: try ManagedObjectModel(entities: [place]))
    let entity = try layout.model.required("Place")
    #expect(layout.column(for: "address.street", of: entity)?.name == "ZSTREET")
    #expect(layout.column(for: "address", of: entity) == nil)
    #expect(layout.notes == [])
  }

  @Test("indexes follow the newest framework by default and older ones on request")
  func indexes() throws {
    var entity = EntityDefinition("Item")
    entity.attributes = [.init("code", .string), .init("rank", .integer32)]
    entity.uniquenessConstraints = [["code"], ["code", "rank"]]
    entity.fetchIndexes = [
      .init("byRank", elements: [.init(.property("rank"), isAscending: false), .init(.expression("self", type: nil))])
    ]
    let model = try ManagedObjectModel(entities: [entity])
    #expect(
      StoreLayout(model: model).indexes.map(\.createStatement) == [
        "CREATE INDEX Z_Item_byRank ON ZITEM (ZRANK COLLATE BINARY DESC, Z_PK COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_code ON ZITEM (ZCODE COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_code_rank ON ZITEM (ZCODE COLLATE BINARY ASC, ZRANK COLLATE BINARY ASC)",
      ])
    let old = StoreLayout(model: model, generation: FrameworkGeneration(version: 851))
    #expect(old.tables[0].createStatement.contains("ZCODE VARCHAR UNIQUE"))
  }

  @Test("a counted relationship gets Core Data's five triggers")
  func triggers() throws {
    let layout = StoreLayout(model: try Models.library())
    let trigger = try #require(layout.triggers.first)
    #expect(
      trigger.names == [
        "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_INSERT", "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_INCREMENT",
        "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_DECREMENT", "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_DELETE",
        "Z_DA_ZSHELF_Shelf_bookCount_SOURCE_INSERT",
      ])
  }
}
