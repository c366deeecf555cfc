import ObjectModel
import PropertyLists

/// Turns a model into the archive of a compiled one: the reverse of `CompiledModelDecoder`.
///
/// Every entity has objects of its own for the properties that it inherits. References go in circles, so that the
/// places of all entities and properties are reserved before any is described.
struct CompiledModelEncoder {
  typealias Reference = KeyedArchiveBuilder.Reference
  typealias Fields = [(key: String, value: KeyedArchiveBuilder.Field)]

  let model: ManagedObjectModel
  var archive = KeyedArchiveBuilder()
  var expressions = ExpressionArchiving()
  private(set) var problems: [ModelError.Problem] = []
  /// The entities as they were declared, by name.
  private var declared: [String: EntityDefinition] = [:]
  private(set) var entities: [String: Reference] = [:]
  private var properties: [String: [String: Reference]] = [:]
  private var root = Reference.null
  /// One object for all that have no user info.
  private var emptyUserInfo: Reference?

  init(_ model: ManagedObjectModel) {
    self.model = model
    for description in model.declaredDefinitions { declared[description.name] = description }
  }

  mutating func encode() -> [UInt8] {
    root = archive.reserve()
    let names = model.declaredDefinitions.map(\.name)
    for name in names { entities[name] = archive.reserve() }
    for name in names { reserveProperties(of: name) }
    for name in names { describeEntity(name) }
    var fields: Fields = [
      ("NSEntities", .object(knownKeys(names))), ("NSFetchRequestTemplates", .object(templates())),
      ("NSVersionIdentifiers", .object(collection(.set, [archive.add(string: model.versionIdentifier)]))),
    ]
    if !model.configurations.isEmpty { fields.append(("NSConfigurations", .object(configurations()))) }
    archive.describe(root, as: .model, fields)
    return archive.bytes(root: root)
  }

  mutating func fail(_ entity: String, _ property: String?, _ message: String) {
    problems.append(
      ModelError.Problem(
        .unknownContent, entity: entity, property: property,
        message: ([entity, property].compactMap { $0 }.joined(separator: ".")) + ": " + message))
  }

  // MARK: - Entities

  /// An entity and its ancestors, the topmost first.
  func lineage(of name: String) -> [EntityDefinition] {
    var line: [EntityDefinition] = []
    var next: String? = name
    while let current = next, let description = declared[current], line.count <= declared.count {
      line.insert(description, at: 0)
      next = description.superentityName
    }
    return line
  }

  private mutating func reserveProperties(of name: String) {
    var own: [String: Reference] = [:]
    for description in lineage(of: name) {
      for attribute in description.attributes { own[attribute.name] = archive.reserve() }
      for relationship in description.relationships { own[relationship.name] = archive.reserve() }
    }
    properties[name] = own
  }

  /// The object of an attribute or relationship, the entity's own copy when it is inherited; nil when there is none.
  func property(_ name: String, of entity: String) -> Reference? { properties[entity]?[name] }

  private mutating func describeEntity(_ name: String) {
    guard let entity = declared[name], let reference = entities[name] else { return }
    let subentities = model.declaredDefinitions.filter { $0.superentityName == name }.map(\.name)
    let properties = describeProperties(of: entity)
    var fields: Fields = [
      ("NSEntityName", text(name)), ("NSClassNameForEntity", text(entity.managedObjectClassName ?? "NSManagedObject")),
      ("NSManagedObjectModel", .object(root)),
      ("NSSuperentity", .object(entity.superentityName.flatMap { entities[$0] } ?? .null)),
      ("NSSubentities", .object(dictionary(subentities.map { ($0, entities[$0] ?? .null) }))),
      ("NSProperties", .object(dictionary(properties))), ("NSUserInfo", .object(userInfo(entity.userInfo))),
      ("NSRenamingIdentifier", text(entity.renamingIdentifier ?? name)),
      ("NSVersionHashModifier", text(entity.versionHashModifier)),
    ]
    if entity.isAbstract { fields.append(("NSIsAbstract", .plain(.boolean(true)))) }
    if !entity.uniquenessConstraints.isEmpty {
      fields.append(("NSUniqueTuples", .object(nameLists(entity.uniquenessConstraints))))
    }
    let indexes = fetchIndexes(of: entity, reference)
    if !indexes.isEmpty || !entity.compoundIndexes.isEmpty {
      fields.append(("NSFetchIndexDescriptions", .object(collection(.mutableArray, indexes))))
      fields.append(("NSCompoundIndexes", .object(nameLists(entity.archivedCompoundIndexes))))
    }
    archive.describe(reference, as: .entity, fields)
  }

  private mutating func describeProperties(of entity: EntityDefinition) -> [(String, Reference)] {
    var described: [(String, Reference)] = []
    for owner in lineage(of: entity.name) {
      for attribute in owner.attributes {
        guard let reference = property(attribute.name, of: entity.name) else { continue }
        describe(attribute, at: reference, entity: entity.name, isIndexed: owner.hasIndex(ofOnly: attribute))
        described.append((attribute.name, reference))
      }
      for relationship in owner.relationships {
        guard let reference = property(relationship.name, of: entity.name) else { continue }
        describe(relationship, at: reference, entity: entity.name)
        described.append((relationship.name, reference))
      }
      for fetched in owner.fetchedProperties {
        if let reference = archived(fetched, entity: entity.name) { described.append((fetched.name, reference)) }
      }
    }
    return described
  }

  // MARK: - The model's other parts

  /// The entities, in the dictionary with fixed keys that Core Data keeps them in.
  private mutating func knownKeys(_ names: [String]) -> Reference {
    let keys = collection(.array, names.map { archive.add(string: $0) })
    let mapping = archive.add(
      .knownKeysMapping,
      [
        ("length", .plain(.integer(Int64(names.count)))), ("keys", .object(keys)), ("version", .plain(.integer(1))),
      ])
    let values = collection(.array, names.map { entities[$0] ?? .null })
    return archive.add(
      .knownKeysDictionary,
      [
        ("values", .object(values)), ("searchMapping", .object(mapping)),
        ("emptyToken", text("__empty_slot_token_4c24_98dc_ac1e_b773__")), ("version", .plain(.integer(1))),
      ])
  }

  private mutating func configurations() -> Reference {
    let names = model.configurations
    var entries: [(String, Reference)] = []
    for name in names {
      let members = (model.entityNamesByConfiguration[name] ?? []).compactMap { entities[$0] }
      entries.append((name, collection(.set, members)))
    }
    return dictionary(entries)
  }

  private mutating func templates() -> Reference {
    var entries: [(String, Reference)] = []
    for template in model.fetchRequestTemplates.values.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      if let request = fetchRequest(template) { entries.append((template.name, request)) }
    }
    return entries.isEmpty ? .null : dictionary(entries)
  }

  private mutating func fetchIndexes(of entity: EntityDefinition, _ reference: Reference) -> [Reference] {
    var indexes: [Reference] = []
    // Core Data adds an index under the attribute's own name for each that is flagged as indexed.
    for attribute in entity.attributes where entity.hasIndex(ofOnly: attribute) {
      let index = FetchIndexDefinition(attribute.name, elements: [.init(.property(attribute.name))])
      if let index = archived(index, reference) { indexes.append(index) }
    }
    for index in entity.fetchIndexes {
      if let index = archived(index, reference) { indexes.append(index) }
    }
    return indexes
  }

  private mutating func archived(_ index: FetchIndexDefinition, _ entityReference: Reference) -> Reference? {
    var partial = Reference.null
    if let condition = index.partialIndexPredicate {
      guard let predicate = expressions.predicate(condition, in: &archive) else { return nil }
      partial = predicate
    }
    // An index is left out as well where an expression has no archived form; no version hash rests on it.
    var (trial, trialExpressions) = (archive, expressions)
    for case .expression(let format, _) in index.elements.map(\.content)
    where trialExpressions.expression(format, in: &trial) == nil { return nil }
    let reference = archive.reserve()
    let elements = index.elements.map { element in
      var fields: Fields = [
        ("NSFetchIndexElementType", .plain(.integer(Int64(element.kind.rawValue)))),
        ("NSFetchIndexDescription", .object(reference)),
      ]
      if element.isAscending { fields.append(("NSAscending", .plain(.boolean(true)))) }
      switch element.content {
      case .property(let name): fields.append(("NSPropertyName", text(name)))
      case .expression(let format, _):
        if let expression = expressions.expression(format, in: &archive) {
          let property = archive.add(.expressionProperty, [("NSExpression", .object(expression))])
          fields.append(("NSIndexedProperty", .object(property)))
        }
      }
      return archive.add(.fetchIndexElement, fields)
    }
    archive.describe(
      reference, as: .fetchIndex,
      [
        ("NSIndexName", text(index.name)), ("NSPartialIndexPredicate", .object(partial)),
        ("NSIndexElements", .object(collection(.array, elements))), ("NSEntity", .object(entityReference)),
      ])
    return reference
  }

  // MARK: - Parts

  mutating func text(_ text: String?) -> KeyedArchiveBuilder.Field {
    .object(text.map { archive.add(string: $0) } ?? .null)
  }

  mutating func collection(_ kind: ArchiveClass, _ elements: [Reference]) -> Reference {
    archive.add(kind, [("NS.objects", .objects(elements))])
  }

  mutating func dictionary(_ entries: [(String, Reference)], _ kind: ArchiveClass = .mutableDictionary) -> Reference {
    let keys = entries.map { archive.add(string: $0.0) }
    return archive.add(kind, [("NS.keys", .objects(keys)), ("NS.objects", .objects(entries.map(\.1)))])
  }

  mutating func userInfo(_ entries: [String: String]) -> Reference {
    if entries.isEmpty, let emptyUserInfo { return emptyUserInfo }
    let sorted = entries.sorted { $0.key.precedesByCodePoint($1.key) }
    let reference = dictionary(sorted.map { ($0.key, archive.add(string: $0.value)) }, .dictionary)
    if entries.isEmpty { emptyUserInfo = reference }
    return reference
  }

  private mutating func nameLists(_ lists: [[String]]) -> Reference {
    let members = lists.map { names in collection(.mutableArray, names.map { archive.add(string: $0) }) }
    return collection(.mutableArray, members)
  }
}

extension EntityDefinition {
  /// Whether compiled models flag the attribute as indexed: by the legacy flag, or by a fetch index of it alone.
  fileprivate func hasIndex(ofOnly attribute: AttributeDefinition) -> Bool {
    attribute.isIndexed || fetchIndexes.contains { $0.plainNames == [attribute.name] }
  }

  /// The legacy indexes, and the fetch indexes of several properties, which compiled models repeat among them.
  fileprivate var archivedCompoundIndexes: [[String]] {
    var indexes = compoundIndexes
    for case let names? in fetchIndexes.map(\.plainNames) where names.count > 1 && !indexes.contains(names) {
      indexes.append(names)
    }
    return indexes
  }
}
