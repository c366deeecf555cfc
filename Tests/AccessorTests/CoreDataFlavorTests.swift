import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// The texts that are expected were written by hand after what Xcode is known to write; no Xcode has compared them.
@Suite("Classes for Core Data")
struct CoreDataFlavorTests {
  private static func files(_ model: ManagedObjectModel) -> [AccessorGenerator.File] {
    AccessorGenerator(model: model, modelName: "Kitchen", flavor: .coreData).files()
  }

  /// What is below the comment at the head.
  private static func body(_ text: String) throws -> String {
    let start = try #require(text.range(of: "import Foundation"))
    return String(text[start.lowerBound...])
  }

  private static func kitchen() throws -> ManagedObjectModel {
    var recipe = EntityDefinition("Recipe")
    recipe.managedObjectClassName = ".Recipe"
    var servings = AttributeDefinition("servings", .integer16)
    servings.usesScalarValueType = true
    var tags = AttributeDefinition("tags", .transformable)
    tags.attributeValueClassName = "NSArray"
    recipe.attributes = [
      AttributeDefinition("title", .string), servings, AttributeDefinition("rating", .double),
      AttributeDefinition("price", .decimal), AttributeDefinition("source", .uri), tags,
      AttributeDefinition("added", .date), AttributeDefinition("photo", .binary), AttributeDefinition("id", .uuid),
      AttributeDefinition("notes", .transformable),
    ]
    recipe.relationships = [
      RelationshipDefinition("steps", toMany: "Step", inverse: "recipe", ordered: true),
      RelationshipDefinition("cooks", toMany: "Cook", inverse: "recipes"),
    ]
    var step = EntityDefinition("Step")
    step.relationships = [RelationshipDefinition("recipe", toOne: "Recipe", inverse: "steps")]
    step.fetchedProperties = [
      FetchedPropertyDefinition("others", fetchRequest: FetchRequestTemplate("others", entityName: "Step"))
    ]
    var cook = EntityDefinition("Cook")
    cook.relationships = [RelationshipDefinition("recipes", toMany: "Recipe", inverse: "cooks")]
    var chef = EntityDefinition("Chef")
    chef.superentityName = "Cook"
    chef.managedObjectClassName = "Kitchen.HeadChef"
    return try ManagedObjectModel(entities: [recipe, step, cook, chef])
  }

  @Test(
    "the stated class of a transformable attribute is its type, if it can be one",
    arguments: [
      ("[String]", "[String]?"), ("Array<String>", "Array<String>?"), ("Kitchen.Color", "Kitchen.Color?"),
      ("[String: [Int]]", "[String: [Int]]?"), ("[String", "NSObject?"), ("A>B<", "NSObject?"),
      (".Color", "Color?"), ("Color.", "NSObject?"), ("Int; import Evil", "NSObject?"), ("Int\nlet x = 1", "NSObject?"),
      ("[]", "NSObject?"),
    ])
  func statedClass(stated: String, type: String) throws {
    var entity = EntityDefinition("Thing")
    var attribute = AttributeDefinition("value", .transformable)
    attribute.attributeValueClassName = stated
    entity.attributes = [attribute]
    let files = try Self.files(ManagedObjectModel(entities: [entity]))
    let properties = try #require(files.first { $0.name == "Thing+CoreDataProperties.swift" })
    #expect(properties.text.contains("public var value: \(type)\n"), "\(properties.text)")
  }

  @Test("an entity has a class and an extension with its properties and accessors")
  func recipe() throws {
    let files = try Self.files(Self.kitchen())
    let recipe = files.filter { $0.name.hasPrefix("Recipe") }
    #expect(recipe.map(\.name) == ["Recipe+CoreDataClass.swift", "Recipe+CoreDataProperties.swift"])
    #expect(
      try Self.body(recipe[0].text) == """
        import Foundation
        import CoreData

        @objc(Recipe)
        public class Recipe: NSManagedObject {

        }

        """)
    #expect(
      try Self.body(recipe[1].text) == """
        import Foundation
        import CoreData


        extension Recipe {

            @nonobjc public class func fetchRequest() -> NSFetchRequest<Recipe> {
                return NSFetchRequest<Recipe>(entityName: "Recipe")
            }

            @NSManaged public var added: Date?
            @NSManaged public var id: UUID?
            @NSManaged public var notes: NSObject?
            @NSManaged public var photo: Data?
            @NSManaged public var price: NSDecimalNumber?
            @NSManaged public var rating: NSNumber?
            @NSManaged public var servings: Int16
            @NSManaged public var source: URL?
            @NSManaged public var tags: NSArray?
            @NSManaged public var title: String?
            @NSManaged public var cooks: NSSet?
            @NSManaged public var steps: NSOrderedSet?

        }

        // MARK: - Generated accessors for cooks
        extension Recipe {

            @objc(addCooksObject:)
            @NSManaged public func addToCooks(_ value: Cook)

            @objc(removeCooksObject:)
            @NSManaged public func removeFromCooks(_ value: Cook)

            @objc(addCooks:)
            @NSManaged public func addToCooks(_ values: NSSet)

            @objc(removeCooks:)
            @NSManaged public func removeFromCooks(_ values: NSSet)

        }

        // MARK: - Generated accessors for steps
        extension Recipe {

            @objc(insertObject:inStepsAtIndex:)
            @NSManaged public func insertIntoSteps(_ value: Step, at idx: Int)

            @objc(removeObjectFromStepsAtIndex:)
            @NSManaged public func removeFromSteps(at idx: Int)

            @objc(insertSteps:atIndexes:)
            @NSManaged public func insertIntoSteps(_ values: [Step], at indexes: NSIndexSet)

            @objc(removeStepsAtIndexes:)
            @NSManaged public func removeFromSteps(at indexes: NSIndexSet)

            @objc(replaceObjectInStepsAtIndex:withObject:)
            @NSManaged public func replaceSteps(at idx: Int, with value: Step)

            @objc(replaceStepsAtIndexes:withSteps:)
            @NSManaged public func replaceSteps(at indexes: NSIndexSet, with values: [Step])

            @objc(addStepsObject:)
            @NSManaged public func addToSteps(_ value: Step)

            @objc(removeStepsObject:)
            @NSManaged public func removeFromSteps(_ value: Step)

            @objc(addSteps:)
            @NSManaged public func addToSteps(_ values: NSOrderedSet)

            @objc(removeSteps:)
            @NSManaged public func removeFromSteps(_ values: NSOrderedSet)

        }

        extension Recipe : Identifiable {

        }

        """)
  }

  @Test("a sub-entity inherits from the class of its parent, and is not made identifiable again")
  func subentity() throws {
    let files = try Self.files(Self.kitchen())
    let chef = files.filter { $0.name.hasPrefix("HeadChef") }
    #expect(chef.map(\.declaration) == ["class HeadChef: Cook", nil])
    #expect(chef[0].text.contains("@objc(HeadChef)\npublic class HeadChef: Cook {"))
    #expect(chef[1].text.contains("NSFetchRequest<HeadChef>(entityName: \"Chef\")"))
    #expect(!chef[1].text.contains("Identifiable"))
    let step = try #require(files.first { $0.name == "Step+CoreDataProperties.swift" })
    #expect(step.text.contains("@NSManaged public var recipe: Recipe?\n    @NSManaged public var others: [Step]?\n"))
  }

  @Test("names that Apple's classes have are told, and types that the model calls alike are written out")
  func names() throws {
    var entity = EntityDefinition("Data")
    entity.attributes = [
      AttributeDefinition("hash", .string), AttributeDefinition("self", .binary),
      AttributeDefinition("class", .date),
    ]
    let model = try ManagedObjectModel(entities: [entity])
    let generator = AccessorGenerator(model: model, modelName: "m", flavor: .coreData)
    #expect(generator.notes.map { $0.prefix(9) } == ["Data.hash", "Data.self"])
    let text = try #require(generator.files().last).text
    #expect(text.contains("var `class`: Date?") && text.contains("var `self`: Foundation.Data?"))
  }

  /// Types cannot be checked here: the classes and attributes are those of Apple's systems.
  @Test("Swift's parser takes the files", .enabled(if: compiler != nil, "there is no swiftc on the PATH"))
  func parsing() throws {
    let folder = try TemporaryFolder()
    let files = try Self.files(Gallery.model()) + Self.files(Self.kitchen())
    let paths = try files.map { file in
      let path = folder.path(file.name)
      try Foundation.Data(file.text.utf8).write(to: URL(fileURLWithPath: path))
      return path
    }
    let process = Process()
    process.executableURL = Self.compiler
    process.arguments = ["-frontend", "-parse"] + paths
    let output = Pipe()
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && text.isEmpty, "\(text)")
  }

  private static let compiler: URL? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(fileURLWithPath: "\($0)/swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()
}
