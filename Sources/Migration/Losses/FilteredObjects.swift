import ObjectGraph
import ObjectModel
import Predicates

/// The losses by filters of entity mappings: objects that every mapping of their entity leaves out, and values that are
/// read only for objects of a filter.
struct FilteredObjects {
  /// An entity whose mappings all have filters.
  private struct Filtered {
    let entity: Entity
    /// The filters as texts; nil where a mapping has its objects from somewhere else than the usual fetch.
    let filters: [String]?
    /// Attributes by the filters of the mappings that read them.
    let readers: [String: [String]]
  }

  private let filtered: [Filtered]

  /// Entities with a policy class of their own are left out: what it reads is not known.
  /// - Parameter policies: those that the program has.
  init(_ model: MappingModel, from older: ManagedObjectModel, _ policies: MigrationPolicies) {
    filtered = older.entities.compactMap { entity in
      let mappings = model.entityMappings.filter {
        $0.sourceEntityName == entity.name && $0.mappingType != .remove && $0.sourceExpression != nil
      }
      let hasPolicy = mappings.contains { mapping in
        mapping.entityMigrationPolicyClassName.map { !policies.isPlain($0) } ?? false
      }
      if mappings.isEmpty || hasPolicy || entity.isAbstract { return nil }
      var filters: [String]? = []
      var readers: [String: [String]] = [:]
      for mapping in mappings {
        let filter = Self.filter(of: mapping)
        filters = filter.flatMap { text in filters.map { $0 + [text] } }
        for name in SourceReads(mapping, entity).properties {
          guard let attribute = entity.attribute(name), !attribute.isTransient, attribute.type != .composite else {
            continue
          }
          readers[name, default: []].append(filter ?? Self.everything)
        }
      }
      return Filtered(entity: entity, filters: filters, readers: readers)
    }
  }

  static let everything = "TRUEPREDICATE"

  /// The filter of the usual fetch; nil for any other source.
  static func filter(of mapping: EntityMapping) -> String? {
    guard let text = mapping.sourceExpression, let expression = try? CallingExpression(parsing: text),
      expression.calls.count == 2, let request = expression.calls.first,
      request.kind == .method(ManagerFunction.fetchRequest.rawValue), request.operands.count == 3,
      request.operands[1] == mapping.sourceEntityName.map({ .constant(.string($0)) }),
      case .constant(.string(let filter)) = request.operands[2], expression.calls[1].kind == .fetch(isCount: false),
      expression.result == .variable(expression.calls[1].name)
    else { return nil }
    return filter
  }

  /// Whether there is no filter, so that the objects need not be read.
  var isEmpty: Bool {
    filtered.allSatisfy { entry in
      entry.filters.map {
        $0.contains(Self.everything) && entry.readers.values.allSatisfy { $0.contains(Self.everything) }
      }
        ?? false
    }
  }

  // MARK: - Losses

  /// The possible losses, where the objects are not known yet.
  var possibleLosses: [String] {
    filtered.compactMap { entry in
      guard let filters = entry.filters else { return Self.otherSource(entry.entity) }
      if filters.contains(Self.everything) { return nil }
      return "\(entry.entity.name): the objects that \(Self.shown(filters)) leaves out go"
    }
  }

  /// The losses of a store.
  /// - Parameter context: of the store, which is of the older model.
  func losses(in context: ManagedObjectContext) throws -> [String] {
    try filtered.flatMap { entry -> [String] in
      guard let filters = entry.filters else { return [Self.otherSource(entry.entity)] }
      var losses: [String] = []
      let left = try Self.count(entry.entity, nil, without: filters, context)
      if left > 0 {
        losses.append(
          "\(entry.entity.name): \(left.counted("object goes", "objects go")) that \(Self.shown(filters)) leaves out"
        )
      }
      for (name, readers) in entry.readers.sorted(by: { $0.key < $1.key }) where Set(readers) != Set(filters) {
        let left = try Self.count(entry.entity, name, without: readers, context)
        if left == 0 { continue }
        losses.append(
          "\(entry.entity.name).\(name): \(left.counted("value goes", "values go")) of objects that "
            + "\(Self.shown(readers)) leaves out")
      }
      return losses
    }
  }

  private static func otherSource(_ entity: Entity) -> String {
    "\(entity.name): the objects that its source expression does not give go"
  }

  private static func shown(_ filters: [String]) -> String {
    let list = Set(filters).sorted().map { "\"\($0)\"" }
    return (list.count == 1 ? "the filter " : "each of the filters ") + list.joined(separator: " and ")
  }

  /// How many objects of an entity itself no filter lets in; with an attribute, only those that have a value of it.
  private static func count(
    _ entity: Entity, _ attribute: String?, without filters: [String], _ context: ManagedObjectContext
  ) throws -> Int {
    if filters.contains(everything) { return 0 }
    let present = attribute.map { "\(PredicateWords.keyPath([$0])) != nil" } ?? everything
    let any = filters.map { "(\($0))" }.joined(separator: " OR ")
    func count(_ text: String) throws -> Int {
      let request = FetchRequest<ManagedObject>(entity: entity)
      request.predicate = try FetchPredicate(parsing: text)
      request.includesSubentities = false
      return try context.count(for: request)
    }
    return try count(present) - count("(\(present)) AND (\(any))")
  }
}
