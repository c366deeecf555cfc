/// Finds every mistake in the definitions of a model, so that all can be reported at once.
///
/// A mistake never hides an unrelated one: of duplicate names the first counts, an unknown parent counts as none, and
/// a cycle of parents is cut after it was reported.
struct ModelValidator {
  /// A property as an entity has it, own or inherited.
  enum Property {
    case attribute(AttributeDefinition)
    case relationship(RelationshipDefinition)
    case fetched
  }

  /// A property and the entity that declares it.
  struct Member {
    var property: Property
    var declaringEntity: Int
  }

  /// The most properties and constraints that the entities may have in all, each inherited one counted again. It
  /// keeps a small file from describing a model that fills the memory.
  static let maximumMemberCount = 1 << 20
  /// Finding the name that was meant goes over all names, so it is only done for the first problems.
  private static let suggestionCount = 64

  let entities: [EntityDefinition]
  private(set) var indexByName: [String: Int] = [:]
  /// Position of each entity's parent; without cycles once `validate` has run.
  private(set) var parent: [Int?]
  /// By entity: name → property, inherited ones included.
  private(set) var members: [[String: Member]]
  /// Mistakes for which there is no model.
  private(set) var problems: [ModelError.Problem] = []
  /// Mistakes that this kind of model may have. `repairedEntities()` leaves out what they are about.
  private(set) var warnings: [ModelError.Problem] = []
  let validation: ModelValidation

  init(_ entities: [EntityDefinition], _ validation: ModelValidation = .strict) {
    self.entities = entities
    self.validation = validation
    parent = entities.map { _ in nil }
    members = entities.map { _ in [:] }
  }

  mutating func validate(configurations: [String: [String]], templates: [FetchRequestTemplate]) {
    indexEntities()
    resolveParents()
    cutParentCycles()
    guard isOfBearableSize() else { return }
    for index in ResolvedModel.parentsFirst(parent) { collectMembers(of: index) }
    for index in entities.indices {
      for attribute in entities[index].attributes { check(attribute, of: index) }
      for relationship in entities[index].relationships { check(relationship, of: index) }
      checkConstraints(of: index)
      checkFetchIndexes(of: index)
      for property in entities[index].fetchedProperties {
        checkFetchedProperty(property, of: index)
      }
    }
    checkTemplates(templates)
    checkConfigurations(configurations)
  }

  /// - Parameters:
  ///   - level: the most tolerant validation for which this is an error; nil when it always is.
  ///   - isLeftOut: whether a model that may have the mistake goes without what it is about.
  mutating func report(
    _ code: ModelError.Code, entity: Int? = nil, property: String? = nil, element: String? = nil,
    errorUpTo level: ModelValidation? = nil, isLeftOut: Bool = true, _ message: String, hint: String? = nil
  ) {
    var problem = ModelError.Problem(
      code, entity: entity.map { entities[$0].name }, property: property, element: element, message: message,
      hint: hint)
    guard let level, validation > level else {
      problems.append(problem)
      return
    }
    if isLeftOut { problem.message += "; that is left out" }
    warnings.append(problem)
  }

  /// A letter or underscore, then letters, digits and underscores.
  static func isValidName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
    return name.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType == .decimal
        || $0.properties.canonicalCombiningClass != .notReordered
    }
  }

  /// The known name that differs from `name` in letter case only, as "did you mean …?".
  func suggestion(_ name: String, among known: some Sequence<String>) -> String? {
    guard problems.count + warnings.count < Self.suggestionCount else { return nil }
    let folded = name.lowercased()
    return known.filter { $0.lowercased() == folded && $0 != name }.sortedByCodePoint { $0 }.first
      .map { "did you mean \($0)?" }
  }

  func suggestEntity(_ name: String) -> String? { suggestion(name, among: indexByName.keys) }

  // MARK: - Entities and parents

  private mutating func indexEntities() {
    for (index, entity) in entities.enumerated() {
      if !Self.isValidName(entity.name) {
        report(
          .invalidName, entity: index, "\"\(entity.name)\" is not a valid entity name",
          hint: "begin with a letter or underscore; go on with letters, digits and underscores")
      }
      if indexByName[entity.name] == nil {
        indexByName[entity.name] = index
      } else {
        report(
          .duplicateName, entity: index, "there is more than one entity named \(entity.name)",
          hint: "rename or remove one of them")
      }
    }
  }

  private mutating func resolveParents() {
    for (index, entity) in entities.enumerated() {
      guard let name = entity.superentityName else { continue }
      if let found = indexByName[name] {
        parent[index] = found
      } else {
        report(
          .unknownEntity, entity: index, "\(entity.name) has the parent entity \(name), which is not in the model",
          hint: suggestEntity(name) ?? "add the entity \(name) or correct the parent's name")
      }
    }
  }

  private mutating func cutParentCycles() {
    var isChecked = [Bool](repeating: false, count: entities.count)
    for start in entities.indices {
      var path: [Int] = []
      var positionInPath: [Int: Int] = [:]
      var current: Int? = start
      while let here = current, !isChecked[here] {
        if let first = positionInPath[here] {
          let cycle = path[first...].map { entities[$0].name } + [entities[here].name]
          report(
            .parentCycle, entity: here,
            "the parents of \(entities[here].name) form a cycle: \(cycle.joined(separator: " → "))",
            hint: "remove the parent of one of these entities")
          for member in path[first...] { parent[member] = nil }
          break
        }
        positionInPath[here] = path.count
        path.append(here)
        current = parent[here]
      }
      for here in path { isChecked[here] = true }
    }
  }

  private mutating func isOfBearableSize() -> Bool {
    var counts = [Int](repeating: 0, count: entities.count)
    var total = 0
    for index in ResolvedModel.parentsFirst(parent) {
      let entity = entities[index]
      counts[index] =
        (parent[index].map { counts[$0] } ?? 0) + entity.attributes.count + entity.relationships.count
        + entity.fetchedProperties.count + entity.uniquenessConstraints.count
      total += counts[index]
      if total > Self.maximumMemberCount {
        report(
          .invalidCount, entity: index,
          "with \(entity.name) the entities have more than \(Self.maximumMemberCount) properties, inherited ones included",
          hint: "use fewer entities or fewer properties in their parents")
        return false
      }
    }
    return true
  }

  private mutating func collectMembers(of index: Int) {
    let entity = entities[index]
    if let above = parent[index] { members[index] = members[above] }
    for attribute in entity.attributes { add(attribute.name, .attribute(attribute), to: index) }
    for relationship in entity.relationships { add(relationship.name, .relationship(relationship), to: index) }
    for property in entity.fetchedProperties { add(property.name, .fetched, to: index) }
  }

  private mutating func add(_ name: String, _ property: Property, to index: Int) {
    let entity = entities[index].name
    if !Self.isValidName(name) {
      report(
        .invalidName, entity: index, property: name, "\"\(name)\" is not a valid property name (\(entity))",
        hint: "begin with a letter or underscore; go on with letters, digits and underscores")
    }
    guard let earlier = members[index][name] else {
      members[index][name] = Member(property: property, declaringEntity: index)
      return
    }
    if earlier.declaringEntity == index {
      report(
        .duplicateName, entity: index, property: name, "\(entity) has more than one property named \(name)",
        hint: "rename or remove one of them")
    } else {
      let ancestor = entities[earlier.declaringEntity].name
      report(
        .duplicateName, entity: index, property: name,
        "\(entity).\(name) has the name of a property inherited from \(ancestor)",
        hint: "rename it, or remove it and use the inherited one")
    }
  }
}
