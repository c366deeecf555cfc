import Foundation
import Seedbed
import Testing

/// A menu whose class has rules of its own, in three kinds of error.
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
    var menu = EntityDescription("Menu")
    menu.managedObjectClassName = "StrictMenu"
    menu.attributes = [AttributeDescription("name", .string)]
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
      let long = menu("long", context)
      do {
        try context.save()
      } catch let error as NSError {
        #expect(error.localizedDescription == "The menu is too long.")
      }
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let rule as StrictMenu.Rule {
        #expect(rule == .tooLong && rule.localizedDescription == "The menu is too long.")
      }
      long.setValue("short", forKey: "name")
      try context.save()
      context.delete(long)
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let error as NSError {
        #expect(error.domain == "Menus" && error.code == 7 && error.localizedDescription == "A menu stays.")
      }
    }
  }

  @Test("refusals: an error of Swift alone is in the problem, so that NSError can be caught")
  func swiftError() throws {
    try serve { context in
      _ = menu("plain", context)
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let error as NSError {
        #expect(error.code == ManagedObjectValidationError && error.localizedDescription.contains("Not so plain."))
      }
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.first?.underlyingError is StrictMenu.PlainRule)
    }
  }

  @Test("refusals: an error of Cocoa's, and several put into one")
  func cocoa() throws {
    try serve { context in
      let menu = menu("cocoa", context)
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let error as NSError {
        #expect(error.code == ValidationStringTooShortError && error.localizedDescription == "Too short.")
      }
      menu.setValue("twice", forKey: "name")
      _ = self.menu("cocoa", context)
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let error as NSError {
        let errors = error.userInfo[DetailedErrorsKey] as? [NSError]
        #expect(errors?.map(\.code) == [1, 2, ValidationStringTooShortError])
      }
    }
  }

  @Test("refusals: among several, each is as the class threw it")
  func several() throws {
    try serve { context in
      _ = [menu("long", context), menu("small", context)]
      do {
        try context.save()
        Issue.record("the save should have failed")
      } catch let error as NSError {
        #expect(error.domain == NSCocoaErrorDomain && error.code == ValidationMultipleErrorsError)
        let errors = try #require(error.userInfo[DetailedErrorsKey] as? [NSError])
        #expect(errors.map(\.localizedDescription).first == "The menu is too long.")
        #expect(errors.last?.code == ValidationNumberTooSmallError)
        #expect(errors.last?.userInfo[ValidationKeyErrorKey] as? String == "courses")
        #expect("\(error)".contains("The menu is too long."))
      }
    }
  }
}
