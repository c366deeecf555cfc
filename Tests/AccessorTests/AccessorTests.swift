import Foundation
import MemoryStore
import ModelFiles
import ObjectGraph
import ObjectModel
import Predicates
import Testing

/// The folder `Generated` holds what the generator makes of the model `Gallery`. It is compiled with these tests.
@Suite("Generated accessors")
struct AccessorTests {
  typealias Flavor = AccessorGenerator.Flavor

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Generated")

  /// Set `SEEDBED_WRITE_GENERATED=1` to write the folder anew after a change of the generator. `Artist.swift` has been
  /// lived in; the other classes are as they were made.
  @Test("the compiled files are what the generator makes")
  func upToDate() throws {
    let files = try Gallery.files()
    let folder = Self.folder
    if ProcessInfo.processInfo.environment["SEEDBED_WRITE_GENERATED"] == "1" {
      for file in files where file.name != "Artist.swift" {
        try Foundation.Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name))
      }
    }
    let present = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    #expect(present.sorted() == files.map(\.name).sorted())
    for file in files where file.name != "Artist.swift" {
      let text = try String(contentsOf: folder.appendingPathComponent(file.name), encoding: .utf8)
      #expect(text == file.text, "\(file.name)")
    }
  }

  @Test(
    "nothing of a model but names gets into the text, and internal classes are not public",
    arguments: Flavor.allCases)
  func safety(flavor: Flavor) throws {
    let generator = AccessorGenerator(
      model: try Gallery.model(), modelName: "}; 2", isPublic: false, flavor: flavor)
    for file in generator.files() {
      #expect(!file.text.contains("Evil") && !file.text.contains("open class") && !file.name.contains("/"))
      #expect(flavor == .coreData || !file.text.contains("public"))
    }
    #expect(flavor == .coreData || generator.files().last?.name == "Model2Classes.swift")
    #expect(try Gallery.files() == Gallery.files())
    #expect(generator.notes.contains { $0.contains("the class of Left is called Left") })
  }

  @Test("files differ in more than letter case")
  func fileNames() throws {
    let model = try ManagedObjectModel(entities: ["FOO", "Foo", "Type"].map { EntityDefinition($0) })
    let names = AccessorGenerator(model: model, modelName: "m").files().map(\.name)
    #expect(
      names == [
        "FOO.swift", "FOO+Properties.swift", "Foo-2.swift", "Foo-2+Properties.swift", "TypeObject.swift",
        "TypeObject+Properties.swift", "MClasses.swift",
      ])
  }

  @Test("no class hides a type of the language, or a module", arguments: Flavor.allCases)
  func classNames(flavor: Flavor) throws {
    let entities = ["Any", "Self", "Swift", "Foundation", "CoreData", "Seedbed"]
    let model = try ManagedObjectModel(entities: entities.map { EntityDefinition($0) })
    let names = AccessorGenerator(model: model, modelName: "m", flavor: flavor).files().map(\.name)
    for entity in entities {
      let name = entity == "Any" ? "AnyObjectObject" : entity + "Object"
      #expect(names.contains { $0.hasPrefix(name + ".") || $0.hasPrefix(name + "+") }, "\(entity): \(names)")
    }
    let small = try ManagedObjectModel(entities: [EntityDefinition("self")])
    #expect(
      AccessorGenerator(model: small, modelName: "m", flavor: flavor).files().contains {
        $0.name.hasPrefix("selfObject")
      })
  }

  @Test(
    "an entity gets its class and its properties, or the latter only",
    arguments: [
      (nil, nil, true), ("class", nil, true), ("category", nil, false), ("category", .class, true),
      ("class", .category, false), (nil, .category, false),
    ] as [(String?, AccessorGenerator.CodeGeneration?, Bool)])
  func codeGeneration(stated: String?, asked: AccessorGenerator.CodeGeneration?, hasClass: Bool) throws {
    var entity = EntityDefinition("Recipe")
    entity.codeGenerationType = stated
    let model = try ManagedObjectModel(entities: [entity])
    func names(_ flavor: Flavor) -> [String] {
      AccessorGenerator(model: model, modelName: "m", flavor: flavor, codeGeneration: asked).files().map(\.name)
    }
    #expect(names(.seedbed) == (hasClass ? ["Recipe.swift"] : []) + ["Recipe+Properties.swift", "MClasses.swift"])
    #expect(
      names(.coreData) == (hasClass ? ["Recipe+CoreDataClass.swift"] : []) + ["Recipe+CoreDataProperties.swift"])
  }

  // MARK: - The compiled classes at work

  /// Runs work on a store in memory whose objects have the generated classes.
  private func work(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
    let model = try Gallery.model()
    let container = try PersistentContainer(
      name: "gallery", model: model, store: InMemoryStore(model: model), classes: Gallery2Classes.byEntityName)
    let context = container.newBackgroundContext(name: "test")
    try context.performAndWait { try body(context) }
  }

  @Test("properties of every type read what was set, also after a save")
  func values() throws {
    let identifier = UUID()
    let site = try #require(URL(string: "https://example.org"))
    try work { context in
      let painting = Painting(context: context)
      #expect(painting.stringValue == nil && painting.stringRequired.isEmpty && painting.integer32Scalar == 0)
      #expect(painting.dateRequired.timeIntervalSinceReferenceDate == 0 && painting.uuidRequired == nil)
      let artist = Artist(context: context)
      artist.name = "A"
      painting.artist = artist
      painting.integer16Value = -3
      painting.integer16Required = .max
      painting.integer32Value = 4
      painting.integer32Scalar = .min
      painting.integer64Value = .max
      painting.integer64Scalar = 6
      painting.booleanValue = false
      painting.booleanRequired = true
      painting.floatValue = 0.1
      painting.floatRequired = 0.25
      painting.doubleValue = 0.1
      painting.doubleScalar = 2
      painting.decimalValue = Decimal(11) / 10
      painting.decimalRequired = 3
      painting.stringValue = "s"
      painting.stringRequired = "t"
      painting.dateValue = Foundation.Date(timeIntervalSinceReferenceDate: 5)
      painting.dateRequired = Foundation.Date(timeIntervalSinceReferenceDate: 6)
      painting.dateScalar = 7.5
      painting.binaryValue = Foundation.Data([1])
      painting.binaryRequired = Foundation.Data([2])
      painting.transformableValue = Foundation.Data([3])
      painting.uuidValue = identifier
      painting.uuidRequired = identifier
      painting.uriValue = site
      painting.uriRequired = site
      painting.scratch = .string("kept in memory")
      try context.save()
      context.reset()
      let found = try context.fetch(Work.fetchRequest())
      let again = try #require(found.first as? Painting)
      #expect(again.integer16Value == -3 && again.integer16Required == .max)
      #expect(again.integer32Value == 4 && again.integer32Scalar == .min)
      #expect(again.integer64Value == .max && again.integer64Scalar == 6)
      #expect(again.booleanValue == false && again.booleanRequired && !again.booleanScalar)
      #expect(again.floatValue == 0.1 && again.floatRequired == 0.25 && again.floatScalar == 0)
      #expect(again.doubleValue == 0.1 && again.doubleScalar == 2)
      #expect(again.decimalValue == Decimal(11) / 10 && again.decimalRequired == 3)
      #expect(again.stringValue == "s" && again.stringRequired == "t")
      #expect(again.dateValue?.timeIntervalSinceReferenceDate == 5 && again.dateScalar == 7.5)
      #expect(
        again.binaryValue == Foundation.Data([1])
          && again.transformableValue as? Foundation.Data == Foundation.Data([3]))
      #expect(again.uuidValue == identifier && again.uriRequired == site)
      again.stringValue = nil
      again.uuidValue = nil
      #expect(again["stringValue"] == nil && again.uuidValue == nil)
    }
  }

  @Test("transformables have the type that the model names, or any")
  func transformables() throws {
    try work { context in
      let painting = Painting(context: context)
      painting.tags0 = ["a", 1, true]
      painting.tags1 = ["key": [1.5]]
      painting.tags2 = ["x", "y"]
      painting.tags3 = "text"
      painting.tags4 = ["b", "c"]
      painting.transformableValue = ["any"]
      #expect(painting.tags0?.first as? Swift.String == "a" && painting.tags0?.last as? Bool == true)
      #expect(painting.tags1?["key"] as? [Double] == [1.5] && painting.tags2 == ["y", "x"])
      #expect(painting.tags3 == "text" && painting.tags4 == ["b", "c"])
      #expect(painting.transformableValue as? [Swift.String] == ["any"])
      painting.tags4 = nil
      #expect(painting["tags4"] == nil && painting.tags4 == nil)
    }
  }

  @Test("composites are structs with a property for each element, which objects hold as dictionaries")
  func composites() throws {
    let identifier = UUID()
    try work { context in
      let house = House(context: context)
      #expect(house.address == nil && house.price == Price() && house.price.amount == 0)
      var address = Address()
      #expect(address.number == 0 && address.street == nil && address.spot == nil)
      address.street = "Oak"
      address.number = 7
      address.spot = Spot()
      address.spot?.x = 0.5
      address.spot?.tag = identifier
      house.address = address
      house.price.amount = Decimal(15) / 10
      house.spot = address.spot
      house.Same = SameComposite()
      house.Same?.open = true
      house.oldAddress = AddressComposite(.composite(["street": .string("Elm")]))
      house.keyword = defaultComposite(.composite(["size": .double(0.25)]))
      #expect(house["address.spot.x"] == .double(0.5) && house["price"] == .composite(["amount": .decimal(1.5)]))
      #expect(house.Same == nil, "a composite without elements is no value")
      try context.save()
      context.reset()
      let again = try #require(try context.fetch(House.fetchRequest()).first)
      #expect(again.address == address && again.address?.spot?.tag == identifier && again.spot == address.spot)
      #expect(again.price.amount == Decimal(15) / 10 && again.price.currency == nil)
      #expect(again.oldAddress?.street == "Elm" && again.keyword?.size == 0.25)
      again.address?.spot?.x = 2
      #expect(again["address.spot.x"] == .double(2) && again["address.street"] == .string("Oak"))
      again.address?.spot = nil
      again.address?.number = 0
      #expect(again["address"] == .composite(["street": .string("Oak"), "number": .integer(0)]))
      again.address = nil
      #expect(again["address"] == nil)
      address.spot?.seen = Foundation.Date(timeIntervalSinceReferenceDate: 3)
      address.spot?.seen = nil
      #expect(address.spot == again.spot && Address(.string("Oak")) == nil)
    }
  }

  @Test("composites with names that Swift, their structs or other types want have their own")
  func compositeNames() throws {
    var room = RoomComposite()
    room.selfProperty = "1"
    room.initProperty = "2"
    room.TypeProperty = "3"
    room.compositeValueProperty = "4"
    room.class = "5"
    room.value = "6"
    room.Value = "7"
    #expect(
      room.compositeValue
        == .composite([
          "self": .string("1"), "init": .string("2"), "Type": .string("3"), "compositeValue": .string("4"),
          "class": .string("5"), "value": .string("6"), "Value": .string("7"),
        ]))
    #expect(Composite() == Composite(.composite([:])))
  }

  @Test("a composite is made of its elements, those that are not given having no values")
  func compositeInitializer() {
    let address = Address(number: 7, spot: Spot(x: 0.5), street: "Oak")
    #expect(
      address.compositeValue
        == .composite(["number": .integer(7), "spot": .composite(["x": .double(0.5)]), "street": .string("Oak")]))
    #expect(Address(street: "Elm").compositeValue == .composite(["street": .string("Elm")]))
    #expect(Price(amount: 2, currency: nil).compositeValue == .composite(["amount": .decimal(2)]))
    #expect(Address() == Address(street: nil) && RoomComposite(class: "1", selfProperty: "2").class == "1")
  }

  @Test("#Predicate asks for elements of composites, and whether there is a composite")
  func compositePredicates() throws {
    try work { context in
      for (street, x) in [("Oak", 0.5), ("Elm", 2), ("Ash", nil)] as [(String, Double?)] {
        let house = House(context: context)
        house.price = Price(amount: Decimal(street.utf8.first.map { Int($0) } ?? 0))
        house.address = Address(spot: x.map { Spot(x: $0) }, street: street)
      }
      House(context: context).price.amount = 1
      let wanted = "Elm"
      let cases: [(Predicate<House>, Set<String?>)] = [
        (#Predicate { $0.address?.street == wanted }, ["Elm"]),
        (#Predicate { $0.address?.spot?.x ?? 3 < 1 }, ["Oak"]),
        (#Predicate { $0.address == nil }, [nil]),
        (#Predicate { $0.address != nil && $0.address?.spot == nil }, ["Ash"]),
        (#Predicate { $0.address.flatMap { $0.street == wanted || $0.street == "Ash" } ?? true }, ["Elm", "Ash", nil]),
        (#Predicate { $0.price.amount > 68 }, ["Oak", "Elm"]),
      ]
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        for (predicate, expected) in cases {
          let request = House.fetchRequest()
          let all = try context.fetch(request)
          request.predicate = try FetchPredicate(predicate)
          let found = try context.fetch(request)
          #expect(Set(found.map { $0.address?.street }) == expected, "\(predicate)")
          #expect(try Set(all.filter { try predicate.evaluate($0) }) == Set(found), "\(predicate)")
        }
      }
      #expect(try FetchPredicate(cases[0].0).description == "address.street == \"Elm\"")
    }
  }

  @Test("#Predicate speaks of generated properties, inherited ones too")
  func predicates() throws {
    try work { context in
      let artist = Artist(context: context)
      artist.name = "Vermeer"
      for (index, text) in ["Milkmaid", "Lacemaker", "Geographer"].enumerated() {
        let painting = Painting(context: context)
        painting.stringRequired = text
        painting.integer32Scalar = Int32(index)
        painting.artist = index == 2 ? nil : artist
      }
      let name = "Vermeer"
      let request = Painting.fetchRequest()
      request.predicate = try FetchPredicate(
        #Predicate<Painting> { $0.artist?.name == name && $0.integer32Scalar >= 1 })
      #expect(try context.fetch(request).map(\.stringRequired) == ["Lacemaker"])
    }
  }

  @Test("relationships are typed on both sides")
  func relationships() throws {
    try work { context in
      let artist = Artist(context: context)
      let paintings = (0..<3).map { _ in Painting(context: context) }
      artist.addToWorks(paintings)
      artist.removeFromWorks(paintings[1])
      #expect(artist.works == [paintings[0], paintings[2]])
      #expect(paintings[0].artist === artist && paintings[1].artist == nil)
      artist.works = [paintings[2], paintings[1], paintings[0]]
      #expect(artist.works == [paintings[2], paintings[1], paintings[0]])
      paintings[2].artist = nil
      #expect(artist.works.count == 2)
      artist.removeFromWorks(Set(paintings))
      #expect(artist.works.isEmpty && paintings[1].artist == nil)
      artist.selfProperty = artist
      #expect(artist.selfProperty === artist)
      let room = Room(context: context)
      room.addToWorks(paintings[0])
      room.addTo_neighbours(Room(context: context))
      #expect(paintings[0].rooms == [room] && room.neighbours.count == 1 && room.Neighbours.isEmpty)
    }
  }

  @Test("an ordered relationship is changed at positions, by one member and by several")
  func positions() throws {
    try work { context in
      let artist = Artist(context: context)
      let (a, b, c, d) = (
        Painting(context: context), Painting(context: context), Painting(context: context), Painting(context: context)
      )
      artist.insertIntoWorks(a, at: 0)
      artist.insertIntoWorks(b, at: 0)
      #expect(artist.works == [b, a])
      artist.insertIntoWorks(b, at: 1)
      #expect(artist.works == [b, a], "one that is there stays where it is")
      artist.insertIntoWorks([c, d], at: [0, 2])
      #expect(artist.works == [c, b, d, a] && d.artist === artist)
      artist.removeFromWorks(at: [0, 3])
      #expect(artist.works == [b, d] && a.artist == nil)
      artist.removeFromWorks(at: 1)
      artist.replaceWorks(at: 0, with: a)
      #expect(artist.works == [a] && b.artist == nil)
      artist.works = [a, b, c]
      artist.replaceWorks(at: [0, 1], with: [d, c])
      #expect(artist.works == [d, c] && a.artist == nil && b.artist == nil, "c moves")
    }
  }

  @Test("a class that was lived in has its own members and hooks, and so has one that is the program's alone")
  func livedIn() throws {
    try work { context in
      let artist = Artist(context: context)
      #expect(artist.name == "Unknown" && artist.awakenings == 1 && artist.signature == "U.")
      artist.name = "Vermeer"
      try context.save()
      #expect(artist["name"] == "Vermeer" && artist.savedNames == ["Vermeer"])
      let visitor = Visitor(context: context)
      visitor.name = "Ann"
      #expect(visitor.greeting == "Welcome, Ann")
      let request = Visitor.fetchRequest()
      request.predicate = try FetchPredicate(#Predicate<Visitor> { $0.name == "Ann" })
      #expect(try context.fetch(request) == [visitor])
    }
  }

  @Test("a fetched property asks with what its object has, saved or not")
  func fetchedProperties() throws {
    try work { context in
      let artists = ["Hals", "Hals", "Steen", "Nobody", "Nobody"].map { name in
        let artist = Artist(context: context)
        artist.name = name
        return artist
      }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        #expect(artists[0].namesakes == [artists[1]] && artists[1].namesakes == [artists[0]], "\(isSaved)")
        #expect(artists[2].namesakes.isEmpty && artists[3].namesakes.isEmpty)
      }
      artists[2].name = "Hals"
      #expect(Set(artists[2].namesakes) == [artists[0], artists[1]])
      #expect(artists[0].value(forKey: "namesakes") as? [ManagedObject] == artists[0].namesakes)
    }
  }

  @Test("names that Swift or objects want for themselves have their own accessors")
  func names() throws {
    try work { context in
      let room = Room(context: context)
      room.class = "1"
      room.default = "2"
      room.entityPropertyProperty = "3"
      room.entityProperty = "4"
      room.isDeletedProperty = "5"
      room.TypeProperty = "6"
      #expect(room["class"] == .string("1") && room["default"] == .string("2") && room["entity"] == .string("3"))
      #expect(room["entityProperty"] == .string("4") && room["isDeleted"] == .string("5") && !room.isDeleted)
      #expect(room["Type"] == .string("6"))
      let shadow = Data(context: context)
      shadow.bytes = Foundation.Data([1])
      shadow.String = "s"
      #expect(shadow.bytes?.count == 1 && shadow.String == "s" && shadow.Date == nil)
    }
  }
}
