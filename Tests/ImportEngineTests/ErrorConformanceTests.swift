import CoreDataLayout
import Foundation
import ImportEngine
import MemoryStore
import Migration
import ObjectGraph
import ObjectModel
import Pipelines
import Predicates
import PropertyLists
import SQLMigration
import SQLite
import SQLitePages
import SeedFormats
import SeedbedTesting
import StoreInterface
import TestStores
import TestSupport
import Testing

/// What Foundation and programs written for Core Data make of the errors.
@Suite("Errors, as Foundation sees them")
struct ErrorConformanceTests {
  /// Every public error type, by name.
  private static let types: [String: any Error.Type] = [
    "ArchiveContentError": ArchiveContentError.self, "AttributeTransformError": AttributeTransformError.self,
    "ContextError": ContextError.self, "DateFormatError": DateFormatError.self,
    "RecordExpressionError": RecordExpressionError.self,
    "RecordExpressionFailure": RecordExpressionFailure.self, "FetchedResultsError": FetchedResultsError.self,
    "MigrationError": MigrationError.self,
    "MappingInferenceError": MappingInferenceError.self,
    "ModelError": ModelError.self, "PageError": PageError.self, "PipelineError": PipelineError.self,
    "PredicateCheckError": PredicateCheckError.self, "PredicateConversionError": PredicateConversionError.self,
    "PredicateFormatError": PredicateFormatError.self,
    "RunError": RunError.self, "SQLiteError": SQLiteError.self, "SaveConflictError": SaveConflictError.self,
    "SeedFormatError": SeedFormatError.self, "StoreError": StoreError.self,
    "IndexAdviceError": IndexAdviceError.self, "StoreMigrationError": StoreMigrationError.self,
    "UndecidedMatchError": UndecidedMatchError.self, "ValidationError": ValidationError.self,
    "ExpectationTimeout": ExpectationTimeout.self, "FixtureError": FixtureError.self,
    "GenerationError": GenerationError.self,
  ]

  @Test("every public error type says its description and its domain to Foundation")
  func conformances() {
    for (name, type) in Self.types {
      #expect(type is any LocalizedError.Type && type is any CustomNSError.Type, "\(name)")
      #expect(type is any CustomStringConvertible.Type, "\(name)")
    }
  }

  @Test("the sources have no other public error types")
  func sources() throws {
    let folder = FixtureFolder.packageRoot.appending(path: "Sources")
    let declaration =
      /public\s+(?:final\s+|indirect\s+)?(?:struct|enum|class|actor)\s+(\w+)\s*:[^{]*\b(?:Error|LocalizedError)\b/
    let conformance = /extension\s+([\w.]+)\s*:[^{]*[\s,](?:Swift\.)?Error\b/
    var found: Set<String> = []
    var fileCount = 0
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      fileCount += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      found.formUnion(text.matches(of: declaration).map { String($0.1) })
      found.formUnion(text.matches(of: conformance).map { String($0.1) })
    }
    #expect(fileCount > 300 && found == Set(Self.types.keys))
  }

  private static let errors: [(error: any Error, domain: String, code: Int)] = [
    (StoreError.busy(path: "/a.sqlite"), NSCocoaErrorDomain, 134_090),
    (StoreError.missing(path: "/a.sqlite"), NSCocoaErrorDomain, 260),
    (StoreError.notAStore(path: "/a.sqlite", message: "no header"), NSCocoaErrorDomain, 259),
    (StoreError.cannotCreate(path: "/a", message: "no folder"), NSCocoaErrorDomain, 134_080),
    (StoreError.inputOutput(path: "/a", message: "disk full"), NSCocoaErrorDomain, 134_070),
    (StoreError.unsupported("no"), NSCocoaErrorDomain, 134_091),
    (StoreError.failure("no"), NSCocoaErrorDomain, 134_060),
    (StoreError.incompatibleModel(differing: ["A"], missing: ["B"], extra: ["C"]), NSCocoaErrorDomain, 134_100),
    (StoreError.optimisticLockingFailure([]), NSCocoaErrorDomain, 133_020),
    (StoreError.constraintConflict(entity: "A", constraint: ["b"], message: "c"), NSCocoaErrorDomain, 133_021),
    (ContextError.contextGone, NSCocoaErrorDomain, 134_060),
    (FetchedResultsError.noSortDescriptor, NSCocoaErrorDomain, 134_060),
    (SaveConflictError(), NSCocoaErrorDomain, 133_020),
    (SQLiteError(extendedCode: 2067, message: "UNIQUE", path: "/a"), "NSSQLiteErrorDomain", 2067),
    (ModelError([.init(.invalidName, message: "no name", hint: "name it")]), "Seedbed.ModelError", 1),
    (SeedFormatError(code: "csv.quote", kind: .malformed, message: "open quote"), "Seedbed.SeedFormatError", 65),
    (RunError(.locked, code: "store.busy", "locked", hint: "wait"), "Seedbed.RunError", 75),
    (RecordExpressionError(column: 2, message: "no"), "Seedbed.RecordExpressionError", 1),
    (RecordExpressionFailure(code: "a.b", message: "no"), "Seedbed.RecordExpressionFailure", 1),
    (PipelineError([]), "Seedbed.PipelineError", 66),
  ]

  @Test("the description is the localized one, with domain and code", arguments: errors.indices)
  func descriptions(index: Int) throws {
    let (error, domain, code) = Self.errors[index]
    let description = try #require((error as? any LocalizedError)?.errorDescription)
    #expect(error.localizedDescription == description && "\(error)".hasPrefix(description))
    let bridged = error as NSError
    #expect(bridged.domain == domain && bridged.code == code)
    #expect(bridged.localizedDescription == description)
    let recovery = (error as? any LocalizedError)?.recoverySuggestion
    #expect(bridged.localizedRecoverySuggestion == recovery && (recovery.map { "\(error)".contains($0) } ?? true))
  }

  @Test("a predicate that is none says where, also to Foundation")
  func predicates() {
    let error = #expect(throws: PredicateFormatError.self) { try FetchPredicate(parsing: "a ==") }
    #expect(error?.localizedDescription == error?.description && error?.localizedDescription.contains("column") == true)
  }

  // MARK: - Validation

  /// An entity with a rule for every code of Core Data.
  private static func container() throws -> PersistentContainer {
    var item = EntityDefinition("Item")
    var name = AttributeDefinition("name", .string)
    name.isOptional = false
    name.minimumValue = .integer(2)
    name.maximumValue = .integer(4)
    var code = AttributeDefinition("code", .string)
    code.regularExpression = "[a-z]*"
    var size = AttributeDefinition("size", .integer32)
    size.minimumValue = .integer(1)
    size.maximumValue = .integer(9)
    var day = AttributeDefinition("day", .date)
    day.minimumValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    day.maximumValue = .date(Date(timeIntervalSinceReferenceDate: 100))
    item.attributes = [name, code, size, day]
    item.uniquenessConstraints = [["code"]]
    var parts = RelationshipDefinition("parts", toMany: "Part", inverse: "item")
    parts.isOptional = false
    parts.minimumCount = 1
    parts.maximumCount = 2
    parts.deleteRule = .deny
    item.relationships = [parts]
    var part = EntityDefinition("Part")
    part.relationships = [RelationshipDefinition("item", toOne: "Item", inverse: "parts")]
    let model = try ManagedObjectModel(entities: [item, part])
    return try PersistentContainer(name: "items", model: model, store: InMemoryStore(model: model), classes: [:])
  }

  private struct Rule: Sendable {
    let key: String
    let value: Value?
    var partCount = 1
    let code: Int
  }

  private static let rules: [Rule] = [
    Rule(key: "name", value: .null, code: 1570), Rule(key: "name", value: .string("a"), code: 1670),
    Rule(key: "name", value: .string("abcde"), code: 1660), Rule(key: "code", value: .string("A"), code: 1680),
    Rule(key: "size", value: .integer(0), code: 1620), Rule(key: "size", value: .integer(10), code: 1610),
    Rule(key: "day", value: .date(Date(timeIntervalSinceReferenceDate: -1)), code: 1640),
    Rule(key: "day", value: .date(Date(timeIntervalSinceReferenceDate: 101)), code: 1630),
    Rule(key: "parts", value: nil, partCount: 0, code: 1580),
    Rule(key: "parts", value: nil, partCount: 3, code: 1590), Rule(key: "size", value: .string("a"), code: 1550),
  ]

  @Test("every broken rule has Core Data's code, the object's id, the property and the value")
  func validation() throws {
    let container = try Self.container()
    let context = container.newBackgroundContext(name: "test")
    try context.performAndWait {
      for rule in Self.rules {
        let item = context.insert(try container.managedObjectModel.required("Item"))
        item["name"] = .string("abc")
        let part = try container.managedObjectModel.required("Part")
        for _ in 0..<rule.partCount { try item.add(context.insert(part), to: "parts") }
        if let value = rule.value { item[rule.key] = value }
        let error = #expect(throws: ValidationError.self) { try context.save() }
        let bridged = try #require(error) as NSError
        #expect(bridged.domain == NSCocoaErrorDomain && bridged.code == rule.code, "\(rule.key) \(rule.code)")
        #expect(bridged.userInfo["NSValidationErrorObject"] as? ObjectID == item.objectID)
        #expect(bridged.userInfo["NSValidationErrorKey"] as? String == rule.key)
        // As key-value coding has it.
        switch (rule.value, bridged.userInfo["NSValidationErrorValue"]) {
        case (.string(let text), let value): #expect(value as? String == text)
        case (.integer(let integer), let value): #expect(value as? Int64 == integer)
        case (.date(let date), let value): #expect(value as? Date == date)
        case (.null, let value): #expect(value is NSNull)
        case (nil, let value): #expect(value == nil)
        case (let other?, _): Issue.record("a rule for \(other) is not compared")
        }
        context.rollback()
      }
    }
  }

  @Test("several broken rules are one error of 1560 with an error for each; a denied deletion is 1600")
  func severalProblems() throws {
    let container = try Self.container()
    let context = container.newBackgroundContext(name: "test")
    try context.performAndWait {
      let item = context.insert(try container.managedObjectModel.required("Item"))
      item["size"] = .integer(0)
      let error = #expect(throws: ValidationError.self) { try context.save() }
      let bridged = try #require(error) as NSError
      #expect(bridged.code == 1560)
      let details = try #require(bridged.userInfo["NSDetailedErrors"] as? [NSError])
      #expect(Set(details.map(\.code)) == [1570, 1580, 1620])
      context.rollback()

      let kept = context.insert(try container.managedObjectModel.required("Item"))
      kept["name"] = .string("abc")
      try kept.add(context.insert(try container.managedObjectModel.required("Part")), to: "parts")
      try context.save()
      context.delete(kept)
      let denied = #expect(throws: ValidationError.self) { try context.save() }
      #expect((try #require(denied) as NSError).code == 1600)
    }
  }

  @Test("conflicts are in conflictList: 133020 for rows that others changed, 133021 for constraints")
  func conflicts() throws {
    let container = try Self.container()
    let (context, other) = (container.newBackgroundContext(name: "a"), container.newBackgroundContext(name: "b"))
    func make(_ context: ManagedObjectContext, _ code: String) throws -> ManagedObject {
      let item = context.insert(try container.managedObjectModel.required("Item"))
      item["name"] = .string("abc")
      item["code"] = .string(code)
      try item.add(context.insert(try container.managedObjectModel.required("Part")), to: "parts")
      return item
    }
    try context.performAndWait {
      let item = try make(context, "a")
      try context.save()
      let id = item.objectID
      try other.performAndWait {
        try other.existingObject(with: id)["size"] = .integer(2)
        try other.save()
      }
      item["size"] = .integer(3)
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let bridged = try #require(error) as NSError
      #expect(bridged.code == 133_020 && bridged.domain == NSCocoaErrorDomain)
      #expect((bridged.userInfo["conflictList"] as? [MergeConflict])?.count == 1)
      context.rollback()
      _ = try make(context, "a")
      let constraint = #expect(throws: SaveConflictError.self) { try context.save() }
      let second = try #require(constraint) as NSError
      #expect(second.code == 133_021)
      #expect((second.userInfo["conflictList"] as? [ConstraintConflict])?.first?.constraint == ["code"])
    }
  }
}
