import Foundation
import Seedbed
import TestSupport
import Testing

/// A value type with a transformer of the program's own, which keeps three bytes.
private struct Colour: Equatable { var red, green, blue: UInt8 }

private struct ColourTransformer: AttributeTransformer {
  struct NoColour: Error {}

  func value(from data: Data) throws -> Colour {
    guard data.count == 3 else { throw NoColour() }
    let bytes = Array(data)
    return Colour(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  func data(from value: Colour) -> Data { Data([value.red, value.green, value.blue]) }
}

@Suite("Transformable attributes")
struct TransformableTests {
  /// Runs work in a context over a store on disk and, after a save, in one over the same store opened anew.
  private func work(_ body: (ManagedObjectContext, ManagedObject) throws -> Void, again: (ManagedObject) throws -> Void)
    throws
  {
    AttributeTransformers.register(ColourTransformer(), forName: "TransformableTestsColour")
    var thing = EntityDefinition("Thing")
    thing.attributes = [
      ("tags", nil), ("labels", "NSSecureUnarchiveFromData"), ("colour", "App.TransformableTestsColour"),
      ("unknown", "NobodyRegisteredThis"),
    ].map { name, transformer in
      var attribute = AttributeDefinition(name, .transformable)
      attribute.valueTransformerName = transformer
      return attribute
    }
    var inner = AttributeDefinition("inner", .composite)
    inner.composite = .init(name: "Inner", elements: [.init("marks", .transformable)])
    var spot = AttributeDefinition("spot", .composite)
    spot.composite = .init(name: "Spot", elements: [.init("tags", .transformable), .init("depth", .integer32), inner])
    thing.attributes.append(spot)
    let folder = try TemporaryFolder()
    let model = try ManagedObjectModel(entities: [thing])
    for round in 1...2 {
      let container = PersistentContainer(
        name: "things", managedObjectModel: model,
        persistentStoreDescriptions: [.init(type: .sqlite, url: folder.file("things.sqlite"))])
      try container.loadPersistentStores()
      let context = container.newBackgroundContext()
      try context.performAndWait {
        if round == 1 {
          let object = context.insert(try #require(model["Thing"]))
          try body(context, object)
          try context.save()
        } else {
          try again(try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing")).first))
        }
      }
    }
  }

  @Test("values go through their transformer both ways, and are stored as bytes")
  func values() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    try work { _, object in
      object["tags"] = ["a", "b"]
      object.setValue(["when": date, "n": 1, "list": [1.5, true]] as [String: Any], forKey: "labels")
      object.setValue(Colour(red: 1, green: 2, blue: 3), forKey: "colour")
      #expect(object["colour"] == Value.data(Data([1, 2, 3])))
    } again: { object in
      #expect(object["tags"] == ["a", "b"])
      #expect(object.value(forKey: "tags") as? [String] == ["a", "b"])
      let labels: [String: Any]? = object["labels"]
      #expect(labels?["when"] as? Date == date && labels?["n"] as? Int == 1)
      #expect((labels?["list"] as? [Any])?.last as? Bool == true)
      #expect(object.value(forKey: "colour") as? Colour == Colour(red: 1, green: 2, blue: 3))
    }
  }

  @Test("elements of composites have their values too, by their dotted paths and in the dictionary of the composite")
  func compositeElements() throws {
    try work { _, object in
      object.setValue(
        ["tags": ["a", "b"], "depth": 3, "inner": ["marks": [1, 2]]] as [String: Any], forKey: "spot")
      #expect(object["spot.depth"] == 3 && object["spot.tags"] == ["a", "b"])
    } again: { object in
      let spot = object.value(forKey: "spot") as? [String: Any]
      #expect(spot?["tags"] as? [String] == ["a", "b"] && spot?["depth"] as? Int == 3)
      #expect((spot?["inner"] as? [String: Any])?["marks"] as? [Int] == [1, 2])
      #expect(object.value(forKey: "spot.inner.marks") as? [Int] == [1, 2])
      object.setValue(["c"], forKey: "spot.tags")
      object.setValue(["tags": Data([1]), "depth": NSNull()] as [String: Any], forKey: "spot")
      #expect((object.value(forKey: "spot") as? [String: Any])?["tags"] as? Data == Data([1]))
      #expect(object["spot.depth"] == nil && object["spot.inner.marks"] == nil)
    }
  }

  @Test("an object counts as changed when its bytes are others")
  func changes() throws {
    try work { context, object in
      object["tags"] = Set([3, 1, 2])
      try context.save()
      object["tags"] = Set([2, 3, 1])
      #expect(!object.hasChanges && !context.hasChanges)
      object["tags"] = Set([2, 3])
      #expect(object.hasChanges)
    } again: { object in
      #expect(object["tags"] == Set([2, 3]))
      object.setValue(nil, forKey: "tags")
      #expect(object["tags"] == nil && object.hasChanges)
    }
  }

  @Test("an attribute whose transformer is not known keeps its bytes, and says so")
  func unknown() throws {
    try work { _, object in
      object["unknown"] = Data([9])
    } again: { object in
      #expect(object.value(forKey: "unknown") as? Data == Data([9]))
      #expect {
        try object.transformedValue(for: "unknown")
      } throws: { error in
        "\(error)".contains("unknown: its transformer NobodyRegisteredThis is not registered")
      }
      #expect(throws: AttributeTransformError.self) { try object.setTransformedValue(["a"], for: "unknown") }
      #expect(object["unknown"] == Value.data(Data([9])))
    }
  }

  @Test("bytes that the transformer makes nothing of are given as they are")
  func unreadable() throws {
    let foreign = Data("no archive".utf8)
    try work { _, object in
      object.setValue(foreign, forKey: "tags")
      object.setValue(foreign, forKey: "colour")
    } again: { object in
      #expect(object.value(forKey: "tags") as? Data == foreign && object.value(forKey: "colour") as? Data == foreign)
      let tags: [String]? = object["tags"]
      #expect(tags == nil)
      #expect(throws: AttributeTransformError.self) { try object.transformedValue(for: "tags") }
      #expect(throws: ColourTransformer.NoColour.self) { try object.transformedValue(for: "colour") }
    }
  }

  @Test("what may stand outermost can be limited, for reading and for writing")
  func allowList() throws {
    let lists = SecureUnarchiveTransformer(allowedTopLevelClasses: [.array])
    let bytes = try lists.data(from: ["a"])
    #expect(try lists.value(from: bytes) as? [String] == ["a"])
    #expect(throws: AttributeTransformError.self) { try lists.data(from: ["a": 1]) }
    let dictionary = try SecureUnarchiveTransformer().data(from: ["a": 1])
    #expect(throws: AttributeTransformError.self) { try lists.value(from: dictionary) }
    #expect(throws: (any Error).self) { try lists.data(from: [Colour(red: 0, green: 0, blue: 0)]) }
  }

  // MARK: - Stores that Apple's framework wrote

  @Test(
    "archives that Core Data wrote read as values; archives of an app's own classes stay bytes",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func written() throws {
    let folder = try TemporaryFolder()
    let copy = try FixtureFolder.copyStore("stores/xcserver/XCServerCoreData_1.2.0.sqlite", to: folder.url)
    let model = try ModelReader.read(
      path: FixtureFolder.path("models/xcserver/XCServerCoreData.xcdatamodeld"),
      version: "XCServerCoreData1.2.0")
    let container = PersistentContainer(
      name: "xcserver", managedObjectModel: model, persistentStoreDescriptions: [.init(type: .sqlite, url: copy)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let contributors = try context.fetch(FetchRequest<ManagedObject>(entityName: "CommitContributor"))
      let addresses = try contributors.compactMap { try $0.transformedValue(for: "emails") as? [String] }
      #expect(addresses.count == 2 && addresses.allSatisfy { $0.allSatisfy { $0.contains("@") } && !$0.isEmpty })
      let integrations = try context.fetch(FetchRequest<ManagedObject>(entityName: "Integration"))
      let tests = integrations.compactMap { $0.value(forKey: "testHierachy") as? [String: Any] }
      #expect(tests.count == 14)
      #expect(!context.hasChanges)
      // Setting what was read, Apple's archive becomes ours, of the same content.
      for contributor in contributors where contributor["emails"] != nil {
        let before = try contributor.transformedValue(for: "emails") as? [String]
        try contributor.setTransformedValue(before, for: "emails")
        #expect(try contributor.transformedValue(for: "emails") as? [String] == before)
      }
    }
  }
}
