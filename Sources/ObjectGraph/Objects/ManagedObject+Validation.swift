import ObjectModel
import StoreInterface

extension ManagedObject {
  /// Checks every property against the model.
  /// - Throws: `ValidationError` with every problem.
  func validateProperties() throws {
    fire()
    var problems: [ValidationError.Problem] = []
    if runtime.hasSubclass {
      validateValues(&problems)
    } else if !hasOnlyValues(acceptedBy: runtime.plainRules) {
      let rules = runtime.plainRules
      for index in 0..<rules.count where !rules[index].accepts(loadedValue(index)) {
        let validator = runtime.validators[index]
        for violation in validator.violations(of: loadedValue(index)) {
          problems.append(problem(validator.attribute.name, violation, of: loadedValue(index)))
        }
      }
    }
    // The weak reference is costly to read, so it is read only where it matters.
    let isNothingMissing =
      !runtime.links.isEmpty && !runtime.hasSubclass
      && (context.map {
        $0.pending.lostIDs.isEmpty && $0.pending.deleted.isEmpty && !$0.pending.hasForeignMembers
      } ?? false)
    for index in 0..<runtime.links.count {
      if isNothingMissing && isPlainlyValid(index, runtime.links[index]) { continue }
      let relationship = runtime.layout.relationships[index]
      if runtime.hasSubclass {
        validateRelationship(index, relationship, &problems)
      } else if relationship.isToMany {
        if isListValidated(index) { problems += listProblems(index) }
      } else if let problem = destinationProblem(index, relationship, loadedDestination(index)) {
        problems.append(problem)
      }
    }
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// Checks a saved object by all of the model's rules, as if it were new: relationships whose number of members is
  /// limited are loaded for it.
  /// - Throws: `ValidationError` with every problem; what the store throws.
  package func validateAsNew() throws {
    var problems: [ValidationError.Problem] = []
    do {
      try validateForInsert()
    } catch let error as ValidationError {
      problems = error.problems
    }
    if !isInserted {
      for (index, link) in runtime.links.enumerated() where link.isToMany && runtime.hasCountLimit[index] {
        try loadMembers(index)
        problems += listProblems(index)
      }
    }
    try context?.throwDeferredError()
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// Whether a relationship certainly breaks no rule, as nothing is deleted in the context.
  private func isPlainlyValid(_ index: Int, _ link: EntityRuntime.Link) -> Bool {
    if link.isToMany { return !runtime.hasCountLimit[index] }
    guard let destination = loadedDestination(index) else { return link.isOptional }
    return !destination.isTemporary && destination.space.entityIndex == link.destinationIndex
  }

  /// Has `validateValue` check every attribute, and takes the values it replaces.
  private func validateValues(_ problems: inout [ValidationError.Problem]) {
    for (index, attribute) in runtime.layout.attributes.enumerated() {
      var value = values[index]
      do {
        try validateValue(&value, forKey: attribute.name)
        setValue(value, at: index)
      } catch let error as ValidationError {
        problems += error.problems
      } catch {
        problems.append(
          ValidationError.Problem(
            throwing: error, objectID: objectID, entity: entity.name, property: attribute.name, value: value))
      }
    }
  }

  private func isListValidated(_ index: Int) -> Bool {
    isInserted || (hasEditedLists && isLoaded(index))
  }

  /// Has `validateValue` check a relationship, and takes its replacement.
  private func validateRelationship(
    _ index: Int, _ relationship: Relationship, _ problems: inout [ValidationError.Problem]
  ) {
    var value = PropertyValue.toOne(destinations[index])
    if relationship.isToMany {
      guard isListValidated(index) else { return }
      value = .toMany(loadedMembers(index) ?? [])
    }
    let before = value
    do {
      try validateValue(&value, forKey: relationship.name)
      switch value {
      case before, .attribute: return
      case .toOne(let destination): if !relationship.isToMany { setDestination(destination, at: index) }
      case .toMany(let members):
        guard relationship.isToMany, let context else { return }
        try setObjects(context.objects(with: members), for: relationship.name)
      }
    } catch let error as ValidationError {
      problems += error.problems
    } catch {
      problems.append(
        ValidationError.Problem(
          throwing: error, objectID: objectID, entity: entity.name, property: relationship.name))
    }
  }

  /// Checks a value as a save checks the property; the object need not have the value.
  func validateByModel(_ value: PropertyValue, forKey key: String) throws {
    if case .attribute(let value) = value { return try validateByModel(value, forKey: key) }
    fire()
    var problems: [ValidationError.Problem] = []
    if case .toMany(let members) = value {
      let index = relationshipIndex(key, isToMany: true)
      problems = listProblems(index, members, before: listBefore(index))
    } else if case .toOne(let destination) = value {
      let index = relationshipIndex(key, isToMany: false)
      problems = [destinationProblem(index, runtime.layout.relationships[index], destination)].compactMap { $0 }
    }
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  func validateByModel(_ value: Value, forKey key: String) throws {
    guard let index = runtime.layout.attributeIndexes[key] else {
      // A name that is not in the model is a mistake of the program, as it is in Core Data.
      preconditionFailure("entity \(entity.name) has no attribute \"\(key)\"")
    }
    let violations = runtime.validators[index].violations(of: value)
    if !violations.isEmpty {
      throw ValidationError(violations.map { problem(key, $0, of: value) })
    }
  }

  /// Checks that no relationship with the rule `deny` has objects left.
  func validateDeleteRules() throws {
    var problems: [ValidationError.Problem] = []
    for (index, relationship) in runtime.layout.relationships.enumerated()
    where relationship.definition.deleteRule == .deny {
      let left = try remainingDestinations(index)
      if left > 0 {
        let remaining = left == 1 ? "1 object remains" : "\(left) objects remain"
        let message = "cannot be deleted while \(remaining) in \(relationship.name)"
        problems.append(problem(relationship.name, .deniedDelete, message))
      }
    }
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  private func remainingDestinations(_ index: Int) throws -> Int {
    let relationship = runtime.layout.relationships[index]
    guard relationship.isToMany else {
      guard let destination = destinations[index], let context else { return 0 }
      return try context.presentObject(with: destination) == nil ? 0 : 1
    }
    try loadMembers(index)
    let members = loadedMembers(index) ?? []
    return members.count { context?.registeredObject(for: $0)?.isDeletedHere != true }
  }

  /// The problems of a loaded to-many relationship: the number of its members, and new ones that are gone.
  func listProblems(_ index: Int) -> [ValidationError.Problem] {
    let mayBreakRules = context.map { !$0.pending.lostIDs.isEmpty || $0.pending.hasForeignMembers } ?? false
    if !runtime.hasCountLimit[index] && !mayBreakRules { return [] }
    guard let members = loadedMembers(index) else { return [] }
    return listProblems(index, members, before: listBefore(index))
  }

  private func listBefore(_ index: Int) -> Set<ObjectID> {
    memberLists.indices.contains(index) ? Set(memberLists[index]?.stored ?? []) : []
  }

  private func listProblems(_ index: Int, _ members: [ObjectID], before: Set<ObjectID>) -> [ValidationError.Problem] {
    var problems = countProblems(index, members.count)
    let relationship = runtime.layout.relationships[index]
    for member in members where !member.entity.isKind(of: relationship.destination) {
      let message = "a \(member.entity.name) is no \(relationship.destination.name)"
      problems.append(problem(relationship.name, .wrongDestination, message))
    }
    guard let context, !context.pending.lostIDs.isEmpty else { return problems }
    for member in members where !before.contains(member) && context.isLost(member) {
      let message = "the \(member.entity.name) it leads to is deleted"
      problems.append(problem(runtime.layout.relationships[index].name, .deletedDestination, message))
    }
    return problems
  }

  private func countProblems(_ index: Int, _ count: Int) -> [ValidationError.Problem] {
    if !runtime.hasCountLimit[index] { return [] }
    let relationship = runtime.layout.relationships[index]
    let rules = relationship.definition
    if rules.isOptional && count == 0 { return [] }
    if count < rules.minimumCount, !deferredRelationships.contains(relationship.name) {
      let message = "\(count) objects are fewer than the \(rules.minimumCount) required"
      return [problem(relationship.name, .tooFewObjects, message)]
    }
    if rules.maximumCount > 0 && count > rules.maximumCount {
      let message = "\(count) objects are more than the \(rules.maximumCount) allowed"
      return [problem(relationship.name, .tooManyObjects, message)]
    }
    return []
  }

  private func destinationProblem(
    _ index: Int, _ relationship: Relationship, _ destination: ObjectID?
  ) -> ValidationError.Problem? {
    guard let destination else {
      if relationship.definition.isOptional || deferredRelationships.contains(relationship.name) { return nil }
      return problem(relationship.name, .missingRelationship, "an object is required")
    }
    if !destination.entity.isKind(of: relationship.destination) {
      let message = "a \(destination.entity.name) is no \(relationship.destination.name)"
      return problem(relationship.name, .wrongDestination, message)
    }
    let object = context?.registeredObject(for: destination)
    if object?.isDeletedHere == true {
      // When the other side denies the deletion, the other side reports the problem.
      if object?.status == .deleted, runtime.layout.inverses[index]?.definition.deleteRule == .deny { return nil }
      return problem(relationship.name, .deletedDestination, "the object it leads to is deleted")
    }
    if destination != stored?.toOne[index], context?.isLost(destination) == true {
      return problem(relationship.name, .deletedDestination, "the object it leads to is deleted")
    }
    if destination.isTemporary, object?.isInserted != true, context?.parent == nil {
      return problem(relationship.name, .wrongDestination, "the object it leads to is not in this context")
    }
    return nil
  }

  /// A problem of an attribute; one of a composite's element has the path as its property.
  private func problem(
    _ attribute: String, _ violation: AttributeValidator.Violation, of value: Value
  ) -> ValidationError.Problem {
    let path = ([attribute] + violation.element).joined(separator: ".")
    var found = problem(path, violation.code, violation.message, value.element(at: violation.element))
    found.predicate = violation.predicate
    return found
  }

  private func problem(
    _ property: String, _ code: ValidationError.Code, _ message: String, _ value: Value? = nil
  ) -> ValidationError.Problem {
    ValidationError.Problem(
      objectID: objectID, entity: entity.name, property: property, code: code, message: message, value: value)
  }
}

extension ManagedObjectContext {
  /// Whether an object that was found to be gone since the last save still is.
  fileprivate func isLost(_ id: ObjectID) -> Bool {
    guard pending.lostIDs.contains(id) else { return false }
    let object = object(with: id)
    object.fire()
    return object.isDeletedHere
  }
}
