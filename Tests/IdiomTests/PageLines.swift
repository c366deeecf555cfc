import Foundation
import Seedbed
import TestSupport
import Testing

/// The lines of docs/FROM-CORE-DATA.md that are code, each once and as they stand there, so that the compiler reads
/// them. `everyLine` finds those that are missing; what they do is the other idioms' matter.
private enum PageLines {
  static func objects(
    _ context: ManagedObjectContext, _ entity: Entity, _ object: ManagedObject, _ id: ObjectID
  ) throws {
    _ = ManagedObject(entity: entity, insertInto: context)
    _ = context.insert(entity)
    object.setValue(nil, forKey: "age")
    do {
      var value: Value = "Soup"; try object.validateValue(&value, forKey: "title")
    }
    do {
      var value = PropertyValue.toOne(id)
      try object.validateValue(&value, forKey: "author")
    }
    context.detectConflicts(for: object)
    let recipe = object
    let steps: NSOrderedSet? = recipe["steps"]
    _ = steps
    _ = NSStringFromClass(Recipe.self)
  }

  static func members(_ object: ManagedObject, _ steps: [ManagedObject]) throws {
    try object.setObjects(steps, for: "steps")
  }

  static func parts(_ predicate: FetchPredicate) {
    _ = predicate.comparison
    _ = predicate.compoundPredicateType
    _ = BatchInsertRequest(entityName: "Recipe") { dictionary in
      dictionary["age"] = 3
      return true
    }
  }

  class Checked: ManagedObject {
    override func validateValue(_ value: inout Value, forKey key: String) throws {
      if key == "title", value == .null { value = "Soup" }
      try super.validateValue(&value, forKey: key)
    }
  }

  static func requests(
    _ context: ManagedObjectContext, _ text: String, _ name: String, _ list: ListDelegate,
    _ controller: FetchedResultsController<any FetchRequestResult>
  ) throws {
    let request = FetchRequest<Recipe>()
    _ = FetchSortDescriptor(key: "title", ascending: true, comparison: .localizedStandard)
    _ = FetchSortDescriptor(key: "author.name", ascending: true)
    _ = try FetchPredicate(parsing: text)
    _ = try context.fetchedObjects(request)
    let updates: [String: FetchExpression?] = ["wins": FetchExpression(format: "wins + 1"), "note": nil]
    _ = updates
    _ = BatchDeleteRequest(fetchRequest: Recipe.fetchRequest())
    _ = try context.execute(BatchDeleteRequest(fetchRequest: request))
    _ = controller == list.controller
    _ = try FetchPredicate(#Predicate<Recipe> { $0.title == name })
  }

  final class ListDelegate {
    let controller: FetchedResultsController<Recipe>
    init(_ controller: FetchedResultsController<Recipe>) { self.controller = controller }
  }

  static func history(
    _ result: PersistentHistoryResult, _ change: PersistentHistoryChange, _ token: PersistentHistoryToken,
    _ notification: Notification, _ conflict: MergeConflict
  ) throws {
    _ = PersistentHistoryTransaction.fetchRequest
    _ = result.transactions
    _ = result.result as? [PersistentHistoryTransaction]
    _ = change.transactionNumber
    _ = change.tombstoneValues?["name"]?.string
    _ = try JSONEncoder().encode(token)
    _ = token.description
    _ = notification.persistentStoreChanges?.addedStores
    _ = conflict.objectPropertyValues["title"]?.value?.string
  }

  static func stores(
    _ coordinator: PersistentStoreCoordinator, _ store: any PersistentStore, _ description: PersistentStoreDescription,
    at url: URL, from old: URL
  ) throws {
    try PersistentStoreCoordinator.replacePersistentStore(at: url, withPersistentStoreFrom: old, type: .sqlite)
    _ = coordinator.metadata(for: store)
    description.isReadOnly = true
    _ = PersistentStoreCoordinator.storesWillChangeNotification
  }

  struct T: AttributeTransformer {
    func value(from data: Data) -> Data { data }
    func data(from value: Data) -> Data { value }
  }
  final class MakerPolicy: EntityMigrationPolicy {}

  static func managers(_ library: ModelLibrary, _ makeManager: ProgressiveMigration.ManagerMaker?) {
    _ = ProgressiveMigration(library: library, makeManager: makeManager)
  }

  static func models(
    _ manager: MigrationManager, _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ stages: [any MigrationStage],
    at url: URL, _ path: String
  ) throws {
    AttributeTransformers.register(T(), forName: "T")
    manager.migrationPolicies = MigrationPolicies([MakerPolicy.self])
    let recipe = EntityDescription()
    let title = AttributeDescription()
    recipe.properties = [title]
    _ = title.copy()
    title.minimumValue = 1
    (title.maximumValue, title.regularExpression) = (80, "[A-Z].*")
    let model = try ManagedObjectModel(entities: [recipe])
    let (entity, attribute, relationship) = (recipe, title, RelationshipDescription())
    _ = (entity.handle, entity.definition, attribute.definition, relationship.definition)
    _ = attribute.definition.derivation
    _ = model["Recipe"]
    for entity in model.entities { _ = entity.name }
    _ = model.entityNamesByConfiguration
    _ = try ModelLibrary(modelURL: url).mapping(from: old, to: new)?.mappingModel
    _ = try MappingModelReader.read(path: path).mappingModel
    _ = try old.inferredMappingModel(to: new)
    _ = StagedMigrationManager(stages, library: try ModelLibrary(modelURL: url))
    for stage in stages { _ = stage.label }
  }
}

@Suite("Idioms: lines of the page")
struct PageLineTests {
  /// Of generated classes, which `AccessorTests` has, and heads of methods.
  private static let others: Set = [
    "addToSteps([a, b])", "insertIntoSteps([a, b], at: [0, 2])", "execute(_ request: FetchSpecification)",
    "execute(_ request: SaveRequest)", "controller(_:didChangeContentWith snapshot: FetchedResultsSnapshot)",
  ]

  /// Snippets of the column `here` that are whole lines of code, without what stands for something else.
  private static func lines(_ page: String) throws -> [String] {
    let start = try #require(page.range(of: "\n## Lines that change\n")).upperBound
    let end = page[start...].range(of: "\n## ")?.lowerBound ?? page.endIndex
    return page[start..<end].split(separator: "\n").flatMap { row -> [String] in
      let cells = row.split(separator: " | ", omittingEmptySubsequences: false)
      guard row.hasPrefix("| "), cells.count == 3 else { return [] }
      return cells[1].matches(of: /`([^`]+)`/).map { String($0.1) }
    }.filter { code in
      // A name with its labels, `name(label:)`, is no call, and `…` is no code.
      code.contains(/[(\[=]| as |\w\.\w/) && !code.contains("…") && !code.contains(/\(\w*[_:]+\w*:?\)|\(\w+:(\w+:)*\)/)
    }
  }

  @Test("every line is code that compiles")
  func everyLine() throws {
    let tests = FixtureFolder.packageRoot.appending(path: "Tests")
    let page = try String(
      contentsOf: FixtureFolder.packageRoot.appending(path: "docs/FROM-CORE-DATA.md"), encoding: .utf8)
    var sources = ""
    for folder in ["IdiomTests", "AccessorTests"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: tests.appending(path: folder).path)
      where name.hasSuffix(".swift") {
        sources += try String(contentsOf: tests.appending(path: folder).appending(path: name), encoding: .utf8)
      }
    }
    func folded(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let compiled = folded(sources)
    let lines = try Self.lines(page)
    #expect(lines.count > 40 && Self.others.isSubset(of: lines))
    let missing = lines.filter { !Self.others.contains($0) && !compiled.contains(folded($0)) }
    #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
  }
}
