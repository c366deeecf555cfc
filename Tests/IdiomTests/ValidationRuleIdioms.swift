import Foundation
import Seedbed
import TestSupport
import Testing

/// Predicates that a program gives its attributes.
@Suite("Idioms: validation predicates")
struct ValidationRuleIdioms {
  private static func model() -> ManagedObjectModel {
    let name = AttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.setValidationPredicates(
      [FetchPredicate(format: "length > 2"), FetchPredicate(format: "NOT (SELF BEGINSWITH[c] 'x')")],
      withValidationWarnings: ["The name is too short.", "No name begins with an X."])
    let age = AttributeDescription()
    age.name = "age"
    age.attributeType = .integer16AttributeType
    age.setValidationPredicates(
      [FetchPredicate(format: "SELF >= 0"), FetchPredicate(format: "SELF IN {0, 18, 42}")], withValidationWarnings: nil)
    let guest = EntityDescription()
    guest.name = "Guest"
    guest.properties = [name, age]
    let model = ManagedObjectModel()
    model.entities = [guest]
    return model
  }

  private static func serve(
    _ type: some PersistentStoreType, _ body: (ManagedObjectContext, (String, Int) -> ManagedObject) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.addPersistentStore(
      with: PersistentStoreDescription(type: type, url: folder.file("Guests.sqlite")))
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      try body(context) { name, age in
        let guest = EntityDescription.insertNewObject(forEntityName: "Guest", into: context)
        guest.setValue(name, forKey: "name")
        guest.setValue(age, forKey: "age")
        return guest
      }
    }
  }

  @Test("validation predicates: a save refuses what does not meet them, with the warning and the predicate")
  func saves() throws {
    try Self.serve(.inMemory) { context, add in
      let guest = add("Al", 18)
      let error = context.refusal()
      #expect(error?.code == ManagedObjectValidationError && error?.domain == NSCocoaErrorDomain)
      #expect(error?.localizedDescription.contains("The name is too short.") == true)
      #expect(error?.userInfo[ValidationKeyErrorKey] as? String == "name")
      let predicate = error?.userInfo[ValidationPredicateErrorKey] as? FetchPredicate
      #expect(predicate?.evaluate(with: "Bob") == true && predicate?.evaluate(with: "Al") == false)
      guest.setValue("Xaver", forKey: "name")
      #expect(context.refusal()?.localizedDescription.contains("No name begins with an X.") == true)
      guest.setValue("Ann", forKey: "name")
      guest.setValue(-1, forKey: "age")
      // The limit has Core Data's code; the list has none.
      let problems = #expect(throws: ValidationError.self) { try context.save() }?.problems
      #expect(problems?.map(\.code) == [.numberTooSmall, .custom])
      #expect(problems?.last?.message.contains("SELF IN {0, 18, 42}") == true)
      guest.setValue(nil, forKey: "age")
      guest.setValue(nil, forKey: "name")
      #expect(context.refusal() == nil)
      guest.setValue(42, forKey: "age")
      #expect(context.refusal() == nil)
      var value: Value = "Xaver"
      #expect(throws: ValidationError.self) { try guest.validateValue(&value, forKey: "name") }
    }
  }

  @Test("validation predicates: batches check them too")
  func batches() throws {
    try Self.serve(.sqlite) { context, add in
      _ = add("Ann", 18)
      _ = add("Bob", 0)
      try context.save()
      let update = BatchUpdateRequest(entityName: "Guest")
      update.propertiesToUpdate = ["age": FetchExpression(format: "age + 1")]
      #expect(throws: ValidationError.self) { try context.execute(update) }
      update.propertiesToUpdate = ["age": 42]
      #expect(throws: Never.self) { try context.execute(update) }
      update.propertiesToUpdate = ["name": "Al"]
      #expect(throws: ValidationError.self) { try context.execute(update) }
      let insertion = BatchInsertRequest(entityName: "Guest", objects: [["name": "Xenia", "age": 18]])
      #expect(throws: ValidationError.self) { try context.execute(insertion) }
      let guests = try context.fetch(FetchRequest<ManagedObject>(entityName: "Guest"))
      #expect(guests.map { $0.value(forKey: "age") as? Int } == [42, 42])
    }
  }

  @Test("validation predicates: limits are among them, and come back as limits")
  func limits() throws {
    let title = AttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    title.minimumValue = 3
    title.regularExpression = "[A-Z].*"
    #expect(title.validationPredicates.map(\.predicateFormat) == ["length >= 3", "SELF MATCHES \"[A-Z].*\""])
    #expect(
      title.validationWarnings.map { $0 as? Int }
        == [ValidationStringTooShortError, ValidationStringPatternMatchingError])
    let other = AttributeDescription()
    other.attributeType = .stringAttributeType
    other.setValidationPredicates(title.validationPredicates, withValidationWarnings: nil)
    #expect(other.definition.minimumValue == 3 && other.definition.regularExpression == "[A-Z].*")
    #expect(other.validationRules.isEmpty)
    other.setValidationPredicates([FetchPredicate(format: "length >= 3")], withValidationWarnings: ["Too short."])
    #expect(other.definition.minimumValue == .null && other.validationWarnings as? [String] == ["Too short."])
    other.setValidationPredicates(nil, withValidationWarnings: nil)
    #expect(other.validationPredicates.isEmpty && other.validationWarnings.isEmpty)
    let born = AttributeDescription()
    born.attributeType = .dateAttributeType
    born.minimumValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    let copy = AttributeDescription()
    copy.attributeType = .dateAttributeType
    copy.setValidationPredicates(born.validationPredicates, withValidationWarnings: nil)
    #expect(copy.definition.minimumValue == born.definition.minimumValue)
  }

  @Test("validation predicates: the version hash does not know of them")
  func hashes() throws {
    let plain = AttributeDescription()
    plain.name = "name"
    plain.attributeType = .stringAttributeType
    let hash = plain.versionHash
    plain.setValidationPredicates([FetchPredicate(format: "SELF != 'x'")], withValidationWarnings: ["No."])
    #expect(plain.versionHash == hash)
  }

  @Test("validation predicates: one that means nothing of a value is told when a store is added")
  func mistakes() throws {
    let name = AttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.setValidationPredicates([FetchPredicate(format: "SELF == $NAME")], withValidationWarnings: nil)
    let guest = EntityDescription()
    guest.name = "Guest"
    guest.properties = [name]
    let model = ManagedObjectModel()
    model.entities = [guest]
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    #expect(throws: ModelError.self) {
      try coordinator.addPersistentStore(type: .inMemory, at: URL(filePath: "/dev/null"))
    }
  }
}
