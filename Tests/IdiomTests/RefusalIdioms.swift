import Foundation
import Seedbed
import Testing

/// A menu whose class has rules of its own, with errors of every kind.
final class StrictMenu: ManagedObject {
  enum Rule: BridgedError {
    case tooLong
    var errorDescription: String? { "The menu is too long." }
  }

  struct PlainRule: LocalizedError {
    var errorDescription: String? { "Not so plain." }
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    try check()
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    try check()
  }

  override func validateForDelete() throws {
    try super.validateForDelete()
    throw NSError(domain: "Menus", code: 7, userInfo: [NSLocalizedDescriptionKey: "A menu stays."])
  }

  private func check() throws {
    switch value(forKey: "name") as? String {
    case "long": throw Rule.tooLong
    case "plain": throw PlainRule()
    case "cocoa":
      throw CocoaError(
        CocoaError.Code(rawValue: ValidationStringTooShortError), userInfo: [NSLocalizedDescriptionKey: "Too short."])
    case "twice":
      throw NSError(
        domain: NSCocoaErrorDomain, code: ValidationMultipleErrorsError,
        userInfo: [DetailedErrorsKey: [1, 2].map { NSError(domain: "Menus", code: $0) }])
    case "small":
      throw NSError(
        domain: NSCocoaErrorDomain, code: ValidationNumberTooSmallError, userInfo: [ValidationKeyErrorKey: "courses"])
    default: break
    }
  }
}

@Suite("Idioms: refusals of one's own")
struct RefusalIdioms {
  private func serve(_ body: (ManagedObjectContext) throws -> Void) throws {
    var menu = EntityDefinition("Menu")
    menu.managedObjectClassName = "StrictMenu"
    menu.attributes = [AttributeDefinition("name", .string)]
    let container = PersistentContainer(
      name: "Menus", managedObjectModel: try ManagedObjectModel(entities: [menu]),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)])
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    #expect(failure == nil)
    let context = container.newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  private func menu(_ name: String, _ context: ManagedObjectContext) -> StrictMenu {
    let menu = StrictMenu(context: context)
    menu.setValue(name, forKey: "name")
    return menu
  }

  @Test("refusals: a save throws what the class threw")
  func single() throws {
    try serve { context in
      let menu = menu("long", context)
      #expect(context.refusal()?.localizedDescription == "The menu is too long.")
      let rule = #expect(throws: StrictMenu.Rule.self) { try context.save() }
      #expect(rule == .tooLong && rule?.localizedDescription == "The menu is too long.")
      menu.setValue("cocoa", forKey: "name")
      let cocoa = context.refusal()
      #expect(cocoa?.code == ValidationStringTooShortError && cocoa?.localizedDescription == "Too short.")
      menu.setValue("short", forKey: "name")
      try context.save()
      context.delete(menu)
      let error = context.refusal()
      #expect(error?.domain == "Menus" && error?.code == 7 && error?.localizedDescription == "A menu stays.")
    }
  }

  @Test("refusals: an error of Swift alone is in the problem, so that NSError can be caught")
  func swiftError() throws {
    try serve { context in
      _ = menu("plain", context)
      let caught = context.refusal()
      #expect(caught?.code == ManagedObjectValidationError)
      #expect(caught?.localizedDescription.contains("Not so plain.") == true)
      #expect(caught?.userInfo[NSUnderlyingErrorKey] is NSError)
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.first?.underlyingError is StrictMenu.PlainRule)
    }
  }

  @Test("refusals: among several, each is as the class threw it, also those that it put into one")
  func several() throws {
    try serve { context in
      _ = ["long", "small", "twice"].map { menu($0, context) }
      let error = context.refusal()
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == ValidationMultipleErrorsError)
      let errors = try #require(error?.userInfo[DetailedErrorsKey] as? [NSError])
      #expect(errors.map(\.localizedDescription).first == "The menu is too long.")
      #expect(errors.dropFirst().map(\.code) == [ValidationNumberTooSmallError, 1, 2])
      #expect(errors.dropFirst().first?.userInfo[ValidationKeyErrorKey] as? String == "courses")
      #expect(error?.localizedDescription.contains("The menu is too long.") == true)
    }
  }
}

extension ManagedObjectContext {
  /// What a save throws, caught as Core Data code does.
  func refusal() -> NSError? {
    do { try save() } catch let error as NSError { return error }
    return nil
  }
}
