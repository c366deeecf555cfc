import Foundation
import Seedbed
import TestSupport
import Testing

class Animal: ManagedObject {}
final class Dog: Animal {
  var tag: NSNumber? {
    get { self["tag"] }
    set { self["tag"] = newValue }
  }
  var born: NSDate? {
    get { self["born"] }
    set { self["born"] = newValue }
  }
  var call: NSString? {
    get { self["name"] }
    set { self["name"] = newValue }
  }
  var tricks: NSArray? {
    get { self["tricks"] }
    set { self["tricks"] = newValue }
  }
}

/// Lines of whole programs that were written for Core Data.
@Suite("Idioms: ported programs")
struct PortedAppIdioms {
  /// Animals with a name, dogs among them with more, and the kennel that they belong to.
  private static func zoo(_ className: (AnyClass) -> String) -> ManagedObjectModel {
    func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
      let attribute = AttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let (animal, dog, kennel) = (EntityDescription(), EntityDescription(), EntityDescription())
    animal.name = "Animal"
    animal.managedObjectClassName = className(Animal.self)
    dog.name = "Dog"
    dog.managedObjectClassName = className(Dog.self)
    kennel.name = "Kennel"
    let (home, animals) = (RelationshipDescription(), RelationshipDescription())
    home.name = "home"
    home.destinationEntity = kennel
    home.maxCount = 1
    home.inverseRelationship = animals
    animals.name = "animals"
    animals.destinationEntity = animal
    animals.inverseRelationship = home
    animals.maxCount = 0
    animal.properties = [attribute("name", .stringAttributeType), attribute("price", .decimalAttributeType), home]
    dog.properties = [
      attribute("tag", .integer32AttributeType), attribute("born", .dateAttributeType),
      attribute("tricks", .transformableAttributeType),
    ]
    kennel.properties = [attribute("name", .stringAttributeType), animals]
    animal.subentities = [dog]
    let model = ManagedObjectModel()
    model.entities = [animal, dog, kennel]
    return model
  }

  private static func container(
    at url: URL? = nil, _ className: (AnyClass) -> String = { NSStringFromClass($0) }
  ) throws -> PersistentContainer {
    let container = PersistentContainer(name: "Zoo", managedObjectModel: zoo(className))
    let description = PersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
    if url == nil { description.type = InMemoryStoreType }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  @Test("ported programs: classes are found by the name that the model has")
  func classes() throws {
    let context = try Self.container().newBackgroundContext()
    try context.performAndWait {
      #expect(Animal.entity().name == "Animal")
      let animals = try context.fetch(FetchRequest<Animal>(entityName: "Animal"))
      #expect(animals.isEmpty)
      #expect(EntityDescription.insertNewObject(forEntityName: "Dog", into: context) is Dog)
    }
  }

  @Test("ported programs: the first class that is used brings those of its module that the model names")
  func classesWithoutModule() throws {
    let context = try Self.container { "\($0)" }.newBackgroundContext()
    try context.performAndWait {
      let animals = try context.fetch(FetchRequest<Animal>(entityName: "Animal"))
      #expect(animals.isEmpty)
      #expect(EntityDescription.insertNewObject(forEntityName: "Dog", into: context) is Dog)
    }
  }

  @Test("ported programs: a class of several containers with equal models has an entity")
  func equalModels() throws {
    let containers = try [Self.container(), Self.container()]
    for container in containers {
      let context = container.newBackgroundContext()
      context.performAndWait { _ = Dog(context: context) }
    }
    #expect(Dog.entity().name == "Dog")
  }

  @Test("ported programs: contexts and the like are equal to themselves, in sets and as keys")
  func identity() throws {
    let container = try Self.container()
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    #expect(context != other && context == context && container.viewContext != context)
    #expect(context.persistentStoreCoordinator == container.persistentStoreCoordinator)
    #expect(Set([context, other, context]).count == 2)
    let names: [ManagedObjectContext: String] = [context: "a", other: "b"]
    #expect(names[other] == "b")
    let object = context.performAndWait { Dog(context: context).managedObjectContext }
    #expect(object == context)
    let request = FetchRequest<Dog>(entityName: "Dog")
    #expect(request == request && request != FetchRequest<Dog>(entityName: "Dog"))
    #expect(try Self.container() != container)
    let policy = MergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    #expect(policy == policy && policy != MergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType))
    let description = try #require(container.persistentStoreDescriptions.first)
    #expect(Set([description]).contains(description))
  }

  @Test("ported programs: accessors of Foundation's classes")
  func accessors() throws {
    let context = try Self.container().newBackgroundContext()
    context.performAndWait {
      let dog = Dog(context: context)
      #expect(dog.tag == nil && dog.born == nil && dog.call == nil && dog.tricks == nil)
      dog.tag = NSNumber(value: 7)
      dog.born = NSDate(timeIntervalSinceReferenceDate: 12)
      dog.call = NSString(string: "Rex")
      dog.tricks = NSArray(array: ["sit", "roll"])
      #expect(dog.tag?.intValue == 7 && dog.value(forKey: "tag") as? Int == 7)
      #expect(dog.born?.timeIntervalSinceReferenceDate == 12 && dog.call?.length == 3)
      #expect(dog.value(forKey: "name") as? String == "Rex" && dog.tricks?.count == 2)
      dog.tag = nil
      #expect(dog.value(forKey: "tag") == nil)
    }
  }

  @Test("ported programs: ids as arguments that were cast, and lists of arguments")
  func arguments() throws {
    let context = try Self.container().newBackgroundContext()
    func predicate(_ format: String, _ arguments: any CVarArg...) -> FetchPredicate {
      FetchPredicate(format: format, argumentArray: arguments)
    }
    try context.performAndWait {
      let kennel = EntityDescription.insertNewObject(forEntityName: "Kennel", into: context)
      let dog = Dog(context: context)
      dog.setValue(kennel, forKey: "home")
      try context.save()
      let request = FetchRequest<Dog>(entityName: "Dog")
      request.predicate = predicate("home == %@", kennel.objectID)
      #expect(try context.count(for: request) == 1)
      request.predicate = FetchPredicate(format: "home == %@ AND SELF == %@", kennel.objectID as any CVarArg, dog)
      #expect(try context.fetch(request) == [dog])
    }
  }

  @Test("ported programs: a batch insertion archives values of Transformable attributes, and results have stated types")
  func batch() throws {
    let folder = try TemporaryFolder()
    let context = try Self.container(at: folder.file("Zoo.sqlite")).newBackgroundContext()
    try context.performAndWait {
      let rows: [[String: Any]] = [
        ["name": "Rex", "tricks": ["sit", "roll"], "price": Decimal(string: "10.25") as Any, "tag": 3],
        ["name": "Bo", "price": Decimal(string: "0.5") as Any, "tag": 4],
      ]
      try context.execute(BatchInsertRequest(entityName: "Dog", objects: rows))
      let request = FetchRequest<Dog>(entityName: "Dog")
      request.sortDescriptors = [FetchSortDescriptor(key: "name", ascending: false)]
      let dogs = try context.fetch(request)
      #expect(dogs.first?.value(forKey: "tricks") as? [String] == ["sit", "roll"])
      #expect(dogs.last?.value(forKey: "tricks") == nil)

      func expression(_ name: String, _ format: String, _ type: AttributeType) -> ExpressionDescription {
        let description = ExpressionDescription()
        description.name = name
        description.expression = FetchExpression(format: format)
        description.expressionResultType = type
        return description
      }
      let sums = FetchRequest<NSDictionary>(entityName: "Dog")
      sums.resultType = .dictionaryResultType
      sums.propertiesToFetch = [
        expression("total", "sum:(price)", .decimalAttributeType), expression("mean", "average:(tag)", .integer32),
        expression("count", "count:(name)", .doubleAttributeType), expression("words", "sum:(tag)", .string),
      ]
      let row = try #require(try context.fetch(sums).first)
      #expect((row["total"] as? NSDecimalNumber)?.decimalValue == Decimal(string: "10.75"))
      #expect(row["mean"] as? Int == 3 && row["count"] as? Double == 2 && row["words"] as? String == "7")
    }
  }

  @Test("ported programs: a merge told by ids refreshes the owners whose members changed, and no others")
  func quietMerge() throws {
    let folder = try TemporaryFolder()
    let container = try Self.container(at: folder.file("Zoo.sqlite"))
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    func name(_ any: ManagedObject) -> String { any.value(forKey: "name") as? String ?? "" }
    try context.performAndWait {
      let kennels = ["A", "B", "C"].map { name in
        let kennel = EntityDescription.insertNewObject(forEntityName: "Kennel", into: context)
        kennel.setValue(name, forKey: "name")
        return kennel
      }
      let dogs = kennels.map { kennel in
        let dog = Dog(context: context)
        dog.setValue("Dog of " + name(kennel), forKey: "name")
        dog.setValue(kennel, forKey: "home")
        return dog
      }
      try context.save()
      for kennel in kennels { #expect((kennel.value(forKey: "animals") as? Set<ManagedObject>)?.count == 1) }

      // One dog moves from A to B, another gets a name, and the members of C stay.
      let ids = (kennels + dogs).map(\.objectID)
      try other.performAndWait {
        other.object(with: ids[3]).setValue(other.object(with: ids[1]), forKey: "home")
        other.object(with: ids[5]).setValue("Rex", forKey: "name")
        try other.save()
      }
      let told = Told()
      let token = NotificationCenter.default.addObserver(
        forName: .ManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        let refreshed = note.userInfo?[RefreshedObjectsKey] as? Set<ManagedObject> ?? []
        told.names += refreshed.map { $0.value(forKey: "name") as? String ?? "" }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [UpdatedObjectsKey: [ids[3], ids[5]]], into: [context])
      #expect(told.names.sorted() == ["A", "B", "Dog of A", "Rex"])
      let counts = kennels.map { ($0.value(forKey: "animals") as? Set<ManagedObject>)?.count }
      #expect(counts == [0, 2, 1])

      // A deletion concerns its own kennel alone, and a new dog without a kennel none.
      try other.performAndWait {
        other.delete(other.object(with: ids[5]))
        try other.save()
      }
      let added = BatchInsertRequest(entityName: "Dog", objects: [["name": "Stray"]])
      added.resultType = .objectIDs
      let result = try #require(try context.execute(added) as? BatchInsertResult)
      let new = try #require(result.result as? [ManagedObjectID])
      told.names = []
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [DeletedObjectsKey: [ids[5]], InsertedObjectsKey: new], into: [context])
      #expect(told.names == ["C"])
      #expect((kennels[2].value(forKey: "animals") as? Set<ManagedObject>)?.isEmpty == true)
    }
  }

  /// What an observer was told.
  private final class Told: @unchecked Sendable {
    var names: [String] = []
  }
}
