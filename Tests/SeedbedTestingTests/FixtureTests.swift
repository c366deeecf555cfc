import Dumps
import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Fixtures")
struct FixtureTests {
  private func context() throws -> ManagedObjectContext {
    try PersistentContainer.inMemory(Journal.model()).newBackgroundContext(name: "fixtures")
  }

  @Test("every type of attribute has its form, and what a line leaves out has its default")
  func values() throws {
    let context = try context()
    try context.performAndWait {
      let objects = try context.insertFixtures(
        ndjson: """
          {"_id":"a","title":"Ä \\"b\\"","rating":4,"date":"2026-02-03T04:05:06.25Z","price":12345678901234567890.12,
          """.replacing("\n", with: "")
            + """
            "code":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11","serial":-3,"height":1.5,"period":"Infinity","views":9223372036854775807,"isPublic":true}

            {"_id":"b","title":"x","date":-1.5,"price":"0.10","height":null,"mood":null}
            """, entityName: "Entry")
      let entry = try #require(objects["a"])
      #expect(entry["title"] == Value.string("Ä \"b\""))
      #expect(entry["rating"] == Value.integer(4) && entry["serial"] == Value.integer(-3))
      #expect(entry["date"] == Value.date(Date(timeIntervalSinceReferenceDate: 791_784_306.25)))
      #expect(entry["price"] == Decimal(string: "12345678901234567890.12").map { Value.decimal($0) })
      #expect(entry["code"] == UUID(uuidString: "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11").map { Value.uuid($0) })
      #expect(entry["height"] == Value.double(1.5) && entry["period"] == Value.double(.infinity))
      #expect(entry["views"] == Value.integer(.max) && entry["isPublic"] == Value.boolean(true))
      #expect(entry["mood"] == Value.string("good"))
      let other = try #require(objects["b"])
      #expect(other["date"] == Value.date(Date(timeIntervalSinceReferenceDate: -1.5)))
      #expect(other["price"] == Value.decimal(Decimal(string: "0.10") ?? 0))
      #expect(other["height"] == nil as Value? && other["mood"] == nil as Value?)
      let profile = try #require(
        context.insertFixtures(
          ndjson:
            #"{"_id":"p","link":"https://a.example/x","picture":"AAEC","address":{"city":"Bath"},"colours":{"base64":"YQ==","value":["x"]}}"#,
          entityName: "Profile")["p"])
      #expect(profile["link"] == URL(string: "https://a.example/x").map { Value.uri($0) })
      #expect(profile["picture"] == Value.data(Data([0, 1, 2])) && profile["colours"] == Value.data(Data("a".utf8)))
      #expect(profile["address.city"] == Value.string("Bath"))
    }
  }

  @Test("one side of a relationship is enough, to objects of sub-entities too, and lists keep their order")
  func relationships() throws {
    let context = try context()
    try context.performAndWait {
      var fixtures = try Journal.fixtures(["Ann", "Bob"], context.persistentStoreCoordinator.managedObjectModel)
      try fixtures.add(#"{"_id":"wet","name":"wet"}"#, entityName: "Tag")
      try fixtures.add(
        #"{"_id":"photo","title":"P","rating":1,"date":0,"serial":9,"code":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B99","author":"Ann","tags":["wet","tag"],"reply":"by Bob","size":7}"#,
        entityName: "Photo")
      #expect(fixtures.count == 9)
      let objects = try fixtures.insert(into: context)
      let photo = try #require(objects["photo"])
      #expect(try photo.objects(for: "tags").map { $0["name"] ?? "" } == ["wet", "surf"])
      #expect(try objects["Ann"]?.objects(for: "entries").count == 2)
      #expect(try objects["by Bob"]?.objects(for: "replies") == [photo])
      #expect(objects["Ann's"]?.object(for: "author") === objects["Ann"])
      try context.save()
    }
  }

  @Test(
    "a mistake is told with its place, and nothing is inserted",
    arguments: [
      ("{\"name\":\"a\"}\n{\"nme\":\"b\"}", "Tag:2: Tag.nme: the entity has no such property", "name, entries"),
      ("{\"name\":3}", "Tag:1: Tag.name: 3 is no value of the type String", "a text"),
      ("{\"name\":\"a\"}\n\n{\"name\":", "Tag:3", ""),
      ("[1]", "Tag:1", ""),
      ("{\"_id\":1}", "Tag:1: Tag._id: the record key is no text", ""),
      ("{\"name\":\"a\",\"name\":\"b\"}", "Tag:1: Tag.name: it is there twice", ""),
      ("{\"entries\":[\"x\"]}", "Tag:1: Tag.entries: the record key \"x\" leads nowhere", "add the record"),
      ("{\"entries\":\"x\"}", "Tag:1: Tag.entries: it is not written as a relationship", "a list of record keys"),
      ("{\"_id\":\"t\",\"entries\":[\"t\"]}", "leads to an object of Tag, not of Entry", ""),
      ("{\"_id\":\"t\"}\n{\"_id\":\"t\"}", "Tag:2: Tag: the record key \"t\" is that of Tag:1 too", ""),
    ])
  func mistakes(ndjson: String, message: String, hint: String) throws {
    let context = try context()
    context.performAndWait {
      let error = #expect(throws: FixtureError.self) {
        try context.insertFixtures(ndjson: ndjson, entityName: "Tag")
      }
      #expect(error?.description.contains(message) == true, "\(String(describing: error))")
      #expect(hint.isEmpty || error?.recoverySuggestion?.contains(hint) == true, "\(String(describing: error))")
      #expect(context.insertedObjects.isEmpty)
    }
    #expect(throws: FixtureError.self) { try context.insertFixtures(ndjson: "", entityName: "Nobody") }
  }

  @Test(
    "a decimal number is read whole or not at all", arguments: ["\"12abc\"", "\"1,5\"", "\"\"", "\"1 2\"", "\"0x1\""])
  func decimals(text: String) throws {
    let context = try context()
    context.performAndWait {
      let error = #expect(throws: FixtureError.self) {
        try context.insertFixtures(ndjson: "{\"price\":\(text)}", entityName: "Entry")
      }
      #expect(error?.description.contains("Entry.price") == true)
    }
  }

  @Test(
    "an ordered list has its own members first and then those of which only the other side says so",
    arguments: [false, true])
  func orderedFromBothSides(tagsFirst: Bool) throws {
    let context = try context()
    try context.performAndWait {
      var fixtures = Fixtures(context.persistentStoreCoordinator.managedObjectModel)
      let tags = "{\"_id\":\"a\",\"name\":\"a\",\"entries\":[\"e\"]}\n{\"_id\":\"b\",\"name\":\"b\"}"
      if tagsFirst { try fixtures.add(tags, entityName: "Tag") }
      try fixtures.add("{\"_id\":\"e\",\"title\":\"E\",\"tags\":[\"b\"]}", entityName: "Entry")
      if !tagsFirst { try fixtures.add(tags, entityName: "Tag") }
      let entry = try #require(fixtures.insert(into: context)["e"])
      #expect(try entry.objects(for: "tags").map { $0["name"] ?? "" } == ["b", "a"])
    }
  }

  @Test("a store that was dumped is a fixture", arguments: [false, true])
  func dump(compresses: Bool) throws {
    let folder = try TemporaryFolder()
    let container = try Journal.container(at: folder.file("Journal.sqlite"))
    let generating = container.newBackgroundContext()
    try generating.performAndWait {
      var generator = ObjectGenerator(seed: 11)
      try generator.insert(["Author": 5, "Entry": 20, "Photo": 5, "Tag": 6], into: generating)
      try generating.save()
    }
    let stored = try Self.contents(container)
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    _ = try StoreDump(
      storePath: folder.path("Journal.sqlite"), modelPath: nil, modelVersion: nil, folder: folder.path("dump"),
      compresses: compresses
    ).run()
    let copy = try PersistentContainer.inMemory(Journal.model())
    let context = copy.newBackgroundContext()
    try context.performAndWait {
      #expect(try context.insertFixtures(contentsOf: folder.file("dump")).count == 41)
      try context.save()
    }
    #expect(try Self.contents(copy) == stored)
    #expect(stored.count == 41)
  }

  /// Each object in words: its values, and those that it leads to by what is unique of them.
  private static func contents(_ container: PersistentContainer) throws -> [String] {
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      var texts: [String] = []
      func name(_ object: ManagedObject) -> String {
        switch object.entity.name {
        case "Author", "Tag": "\(object["name"] ?? Value.null)"
        case "Profile": "\(object["link"] ?? Value.null)"
        default: "\(object["serial"] ?? Value.null)"
        }
      }
      for entity in container.managedObjectModel.handles {
        let request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        for object in try context.fetch(request) {
          var text = "\(entity.name) \(name(object)):"
          for (index, attribute) in entity.attributes.enumerated() {
            text += " \(attribute.name)=\(object.value(at: index))"
          }
          for relationship in entity.relationships {
            let members =
              relationship.isToMany
              ? try object.objects(for: relationship.name)
              : object.object(for: relationship.name).map { [$0] } ?? []
            let names = members.map(name)
            text += " \(relationship.name)=\(relationship.isOrdered ? names : names.sorted())"
          }
          texts.append(text)
        }
      }
      return texts.sorted()
    }
  }

  @Test("files are named after entities, and a folder's other files are left alone")
  func files() throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"name\":\"a\"}\n", to: "Tag.ndjson")
    try folder.write("not a fixture", to: "README.md")
    let context = try context()
    _ = try context.performAndWait { try context.insertFixtures(contentsOf: folder.url) }
    #expect(context.performAndWait { context.insertedObjects.count } == 1)
    // So a dump names a second file where some file systems would take it for the first.
    try folder.write("{\"name\":\"b\"}\n{\"name\":\"c\"}\n", to: "Tag--.ndjson")
    try context.performAndWait {
      try context.insertFixtures(contentsOf: folder.file("Tag--.ndjson"))
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Tag")) == 3)
    }
    let error = #expect(throws: FixtureError.self) { try context.insertFixtures(contentsOf: folder.file("README.md")) }
    #expect(error?.file == folder.path("README.md"))
    #expect(throws: FixtureError.self) { try context.insertFixtures(contentsOf: folder.file("None.ndjson")) }
    try folder.write("{}", to: "Surfer.ndjson")
    let unknown = #expect(throws: FixtureError.self) { try context.insertFixtures(contentsOf: folder.url) }
    #expect(unknown?.description.contains("Surfer") == true)
  }
}
