extension ModelValidator {
  mutating func check(_ relationship: RelationshipDefinition, of index: Int) {
    checkCounts(of: relationship, of: index)
    let name = "\(entities[index].name).\(relationship.name)"
    let wanted = relationship.destinationEntityName
    guard let destination = indexByName[wanted] else {
      report(
        .unknownEntity, entity: index, property: relationship.name,
        "\(name) has the destination \(wanted), which is not in the model",
        hint: suggestEntity(wanted) ?? "add the entity \(wanted) or correct the destination")
      return
    }
    if let inverse = relationship.inverseName {
      checkInverse(inverse, of: relationship, declaredBy: index, destination: destination)
    }
  }

  private mutating func checkInverse(
    _ inverseName: String, of relationship: RelationshipDefinition, declaredBy index: Int, destination: Int
  ) {
    let name = "\(entities[index].name).\(relationship.name)"
    let inverseText = "\(entities[destination].name).\(inverseName)"
    guard let member = members[destination][inverseName], case .relationship(let inverse) = member.property else {
      let elsewhere = entities.first { $0.relationships.contains { $0.name == inverseName } }
      report(
        .missingInverse, entity: index, property: relationship.name, errorUpTo: .source,
        "\(name) has the inverse \(inverseText), which is not a relationship of \(entities[destination].name)",
        hint: elsewhere.map { "\($0.name) has a relationship of that name: correct the destination or the inverse" }
          ?? suggestion(inverseName, among: members[destination].keys)
          ?? "add the relationship \(inverseText) or correct the inverse")
      return
    }
    guard inverse.inverseName == relationship.name else {
      let actual = inverse.inverseName.map { "names \($0) as its inverse" } ?? "has no inverse"
      report(
        .inverseMismatch, entity: index, property: relationship.name, errorUpTo: .source,
        "\(name) has the inverse \(inverseText), but that one \(actual)",
        hint: "set the inverse of \(inverseText) to \(relationship.name), or remove the inverse of \(name)")
      return
    }
    // An unknown destination of the inverse is reported where that relationship is checked.
    guard let back = indexByName[inverse.destinationEntityName] else { return }
    // By name, so that a second entity of the same name adds no mistake of its own.
    let declaring = members[back][relationship.name].map { entities[$0.declaringEntity].name }
    guard declaring == entities[index].name else {
      report(
        .inverseMismatch, entity: index, property: relationship.name, errorUpTo: .source,
        "\(name) has the inverse \(inverseText), but that one leads to \(entities[back].name), "
          + "not to \(entities[index].name)",
        hint: "set the destination of \(inverseText) to \(entities[index].name), or choose another inverse")
      return
    }
  }

  private mutating func checkCounts(of relationship: RelationshipDefinition, of index: Int) {
    let name = "\(entities[index].name).\(relationship.name)"
    func fail(_ message: String, _ hint: String, errorUpTo level: ModelValidation? = nil) {
      report(
        .invalidCount, entity: index, property: relationship.name, errorUpTo: level, message, hint: hint)
    }
    let minimum = relationship.minimumCount
    let maximum = relationship.maximumCount
    if minimum < 0 || Int32(exactly: minimum) == nil || Int32(exactly: maximum) == nil {
      fail("the counts of \(name) (\(minimum)…\(maximum)) are out of range", "use 0 to \(Int32.max)")
    }
    if relationship.isToMany {
      if maximum == 1 {
        fail("the to-many relationship \(name) has a maximum count of 1", "make it to-one or raise the maximum count")
      }
      if maximum > 0, minimum > maximum {
        fail(
          "the minimum count of \(name) is greater than its maximum count", "exchange or correct the two counts",
          errorUpTo: .strict)
      }
    } else {
      if maximum != 1 {
        fail("the to-one relationship \(name) has a maximum count of \(maximum)", "make it to-many or set it to 1")
      }
      if minimum > 1 {
        fail(
          "the to-one relationship \(name) has a minimum count of \(minimum)", "use 0 or 1, or make it to-many",
          errorUpTo: .strict)
      }
    }
  }
}
