import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Composite attributes of objects, in every store of this target.
@Suite("Composite attributes of objects")
struct CompositeTests {
  private struct Shop: TestGraph {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let venue: Entity

    init(_ kind: StoreKind) throws {
      func attribute(_ name: String, _ type: AttributeType, _ change: (inout AttributeDefinition) -> Void = { _ in })
        -> AttributeDefinition
      {
        var attribute = AttributeDefinition(name, type)
        change(&attribute)
        return attribute
      }
      let spot = attribute("spot", .composite) {
        $0.composite = .init(name: "Spot", elements: [.init("x", .float), .init("y", .double)])
      }
      let address = attribute("address", .composite) {
        $0.composite = .init(
          name: "Address",
          elements: [
            attribute("street", .string) {
              $0.isOptional = false
              $0.minimumValue = .integer(2)
            },
            attribute("number", .integer16) { $0.maximumValue = .integer(999) },
            attribute("city", .string) { $0.regularExpression = "[A-Z].*" }, spot,
            attribute("cache", .string) { $0.isTransient = true },
          ])
      }
      let price = attribute("price", .composite) {
        $0.isOptional = false
        $0.composite = .init(
          name: "Price",
          elements: [
            attribute("amount", .decimal) { $0.isOptional = false },
            attribute("currency", .string) { $0.defaultValue = .string("EUR") },
          ])
      }
      var venue = EntityDefinition("Venue")
      venue.attributes = [.init("name", .string), address, price]
      venue.uniquenessConstraints = [["address.street", "address.number"]]
      let model = try ManagedObjectModel(entities: [venue])
      folder = try TemporaryFolder()
      container = try PersistentContainer(name: "shop", model: model, store: try kind.makeStore(model, in: folder))
      self.venue = try model.required("Venue")
    }

    func add(_ context: ManagedObjectContext, _ name: String, _ address: Value = .null) -> ManagedObject {
      let object = context.insert(venue)
      object["name"] = .string(name)
      object["price.amount"] = .decimal(3)
      object["address"] = address
      return object
    }
  }

  private static let oak: Value = .composite([
    "street": .string("Oak"), "number": .integer(7), "spot": .composite(["x": .double(1.5), "y": .double(2)]),
  ])

  @Test(
    "a composite is a dictionary that is saved, read, changed by element and cleared", arguments: StoreKind.allCases)
  func life(kind: StoreKind) throws {
    let shop = try Shop(kind)
    let id = Box<ObjectID>()
    try shop.work { context in
      let object = context.insert(shop.venue)
      #expect(object["price"] == .composite(["currency": .string("EUR")]) && object["address"] == nil)
      object["price.amount"] = .decimal(3)
      object["address"] = Self.oak
      #expect(object["address.spot.x"] == .double(1.5) && object["address.city"] == nil)
      try context.save()
      id.value = object.objectID
      #expect(!object.hasChanges)
    }
    try shop.work { context in
      let object = try context.object(with: #require(id.value))
      #expect(object["address"] == Self.oak)
      #expect(object["price"] == .composite(["currency": .string("EUR"), "amount": .decimal(3)]))
      // What is there already changes nothing, in whatever form it is said.
      object["address.number"] = .integer(7)
      object["address"] = Self.oak.settingElement(at: ["city"], to: .null)
      #expect(!object.hasChanges)
      // A Float element takes the nearest Float.
      object["address.spot.x"] = .double(0.1)
      #expect(object["address.spot.x"] == .double(Double(Float(0.1))))
      object["address.spot"] = .null
      object["address.city"] = .string("Rome")
      #expect(object.changedPropertyValues().keys.sorted() == ["address"])
      try context.save()
      context.refresh(object, mergeChanges: false)
      #expect(
        object["address"]
          == .composite(["street": .string("Oak"), "number": .integer(7), "city": .string("Rome")]))
      object["address"] = .composite(["number": .null, "spot": .composite([:])])
      #expect(object["address"] == nil)
      try context.save()
      context.refresh(object, mergeChanges: false)
      #expect(object["address"] == nil)
    }
  }

  @Test("elements are validated, each by its path", arguments: StoreKind.allCases)
  func validation(kind: StoreKind) throws {
    let shop = try Shop(kind)
    let cases: [(Value, [String])] = [
      (.composite(["number": .integer(7)]), ["address.street missing-value"]),
      (.composite(["street": .string("O")]), ["address.street string-too-short"]),
      (
        .composite(["street": .string("Oak"), "number": .integer(1000), "city": .string("rome")]),
        ["address.city pattern-mismatch", "address.number number-too-large"]
      ),
      (.composite(["street": .integer(1)]), ["address.street wrong-type"]), (.string("Oak"), ["address wrong-type"]),
      (.composite(["street": .string("Oak"), "town": .string("x")]), ["address.town wrong-type"]),
      (.composite(["street": .string("Oak"), "cache": .string("x")]), ["address.cache wrong-type"]),
      (.composite(["street": .string("Oak"), "spot": .double(1)]), ["address.spot wrong-type"]),
      (
        .composite(["street": .string("Oak"), "spot": .composite(["x": .double(.nan)])]),
        ["address.spot.x not-a-number"]
      ),
      (.null, []), (Self.oak, []),
    ]
    try shop.work { context in
      for (value, expected) in cases {
        let object = shop.add(context, "a", value)
        do {
          try context.save()
          #expect(expected == [], "\(value)")
        } catch let error as ValidationError {
          let found = error.problems.map { "\($0.property ?? "") \($0.code.rawValue)" }.sorted()
          #expect(found == expected, "\(value)")
        }
        context.rollback()
        _ = object
      }
      let object = shop.add(context, "b")
      object["price"] = .null
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.property) == ["price.amount"])
    }
  }

  @Test("fetches see elements that are saved and elements that are not", arguments: StoreKind.allCases)
  func fetches(kind: StoreKind) throws {
    let shop = try Shop(kind)
    try shop.work { context in
      for (index, city) in ["Rome", "Oslo", "Bonn"].enumerated() {
        let object = shop.add(context, city, Self.oak.settingElement(at: ["city"], to: .string(city)))
        object["address.number"] = .integer(Int64(index))
      }
      func names(_ format: String) throws -> [Value] {
        var request = FetchSpecification(shop.venue)
        request.predicate = try FetchPredicate(parsing: format)
        request.sortDescriptors = [.init(["address", "city"])]
        return try context.fetch(request).map { $0.attributeValue("name") }
      }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        #expect(try names("address.city > 'C'") == [.string("Oslo"), .string("Rome")])
        #expect(try names("address.spot.x == 1.5 AND address.number IN {1, 2}") == [.string("Bonn"), .string("Oslo")])
      }
      let found = try context.fetch(matching: "address.city", values: [.string("Oslo")], entity: shop.venue)
      let oslo = try #require(found[0])
      oslo["address.city"] = .string("Ulm")
      #expect(try names("address.city BEGINSWITH 'U'") == [.string("Oslo")])
      #expect(try names("address.city == 'Oslo'") == [])
      #expect(try FetchPredicate(parsing: "address.city == 'Ulm' AND address != nil").holds(for: oslo))
      var request = FetchSpecification(shop.venue)
      request.sortDescriptors = [.init(["address", "spot", "y"]), .init(["name"])]
      let controller = FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "address.spot.y")
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["2.0"])
    }
  }

  @Test("a fetch asks whether a composite is nil: whether all of its elements are", arguments: StoreKind.allCases)
  func missing(kind: StoreKind) throws {
    let shop = try Shop(kind)
    try shop.work { context in
      // A required element must be there as soon as the composite is.
      let values: [(String, Value)] = [
        ("none", .null), ("empty", .composite(["spot": .composite([:]), "city": .null])), ("full", Self.oak),
        ("deep", .composite(["street": .string("Elm"), "spot": .composite(["y": .double(0)])])),
      ]
      for (name, value) in values { _ = shop.add(context, name, value) }
      func names(_ format: String) throws -> [Value] {
        var request = FetchSpecification(shop.venue)
        request.predicate = try FetchPredicate(parsing: format)
        request.sortDescriptors = [.init(["name"])]
        return try context.fetch(request).map { $0.attributeValue("name") }
      }
      let (none, some): ([Value], [Value]) = ([.string("empty"), .string("none")], [.string("deep"), .string("full")])
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        #expect(try names("address == nil") == none && names("nil != address") == some, "saved: \(isSaved)")
        #expect(try names("NOT address = nil") == some && names("address <> NULL AND TRUEPREDICATE") == some)
        #expect(try names("address == nil OR name == 'full'") == [.string("empty"), .string("full"), .string("none")])
        #expect(try names("address.spot != nil") == some && names("price == nil") == [])
        #expect(try names("address.spot == nil") == none)
      }
      for wrong in [
        "address == 'Oak'", "address > nil", "address IN {nil}", "address == price", "uppercase:(address) == nil",
        "address.cache == nil",
      ] {
        #expect(throws: StoreError.self, "\(wrong)") { try names(wrong) }
      }
    }
  }

  @Test("undo, children, merges and conflicts take a composite as one property", arguments: StoreKind.allCases)
  func contexts(kind: StoreKind) throws {
    let shop = try Shop(kind)
    try shop.work { context in
      let object = shop.add(context, "a", Self.oak)
      try context.save()
      context.undoManager = ContextUndoManager()
      object["address.city"] = .string("Rome")
      context.processPendingChanges()
      context.undoManager?.undo()
      #expect(object["address"] == Self.oak && !object.hasChanges)
      context.undoManager?.redo()
      #expect(object["address.city"] == .string("Rome"))
      context.undoManager = nil

      let child = ManagedObjectContext(parent: context, name: "child")
      let id = object.objectID
      try child.performAndWait {
        let twin = child.object(with: id)
        #expect(twin["address.city"] == .string("Rome"))
        twin["address.number"] = .integer(8)
        try child.save()
      }
      #expect(object["address.number"] == .integer(8) && object["address.city"] == .string("Rome"))
      try context.save()

      let other = shop.container.newBackgroundContext(name: "other")
      try other.performAndWait {
        let twin = other.object(with: id)
        twin["address.number"] = .integer(9)
        twin["name"] = .string("b")
        try other.save()
      }
      object["address.city"] = .string("Oslo")
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(object["name"] == .string("b") && object["address.city"] == .string("Oslo"))
      #expect(object["address.number"] == .integer(8))
    }
  }

  @Test("elements may be unique together, and a merge policy resolves the conflict", arguments: StoreKind.allCases)
  func constraints(kind: StoreKind) throws {
    let shop = try Shop(kind)
    try shop.work { context in
      _ = shop.add(context, "a", Self.oak)
      try context.save()
      let second = shop.add(context, "b", Self.oak)
      #expect(throws: SaveConflictError.self) { try context.save() }
      second["address.number"] = .integer(8)
      try context.save()
      second["address.number"] = .integer(7)
      second["name"] = .string("c")
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(
        error?.constraintConflicts.first?.constraintPropertyValues == [
          "address.street": .attribute(.string("Oak")), "address.number": .attribute(.integer(7)),
        ])
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      // Only the parts of the constraint are taken back.
      #expect(second["address.number"] == .integer(8) && second["name"] == .string("c"))
    }
  }
}
