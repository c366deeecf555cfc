extension ModelValidator {
  static let resultTypes: Set<Int> = [0, 1, 2, 4]

  mutating func checkFetchedProperty(_ property: FetchedPropertyDefinition, of index: Int) {
    let wanted = property.fetchRequest.entityName
    if indexByName[wanted] == nil {
      report(
        .unknownEntity, entity: index, property: property.name, errorUpTo: .strict,
        "the fetched property \(entities[index].name).\(property.name) fetches \(wanted), which is not in the model",
        hint: suggestEntity(wanted) ?? "correct the entity of its fetch request")
    }
    checkLimits(property.fetchRequest, entity: index, property: property.name, element: nil)
  }

  mutating func checkTemplates(_ templates: [FetchRequestTemplate]) {
    var seen: Set<String> = []
    for template in templates {
      let element = "fetchRequest \(template.name)"
      if template.name.isEmpty {
        report(
          .invalidName, element: element, errorUpTo: .strict, "a fetch request template has no name", hint: "name it")
      }
      if !seen.insert(template.name).inserted {
        report(
          .duplicateName, element: element, errorUpTo: .strict,
          "there is more than one fetch request template named \(template.name)",
          hint: "rename or remove one of them")
      }
      if indexByName[template.entityName] == nil {
        report(
          .unknownEntity, element: element, errorUpTo: .strict,
          "the fetch request template \(template.name) fetches \(template.entityName), which is not in the model",
          hint: suggestEntity(template.entityName) ?? "correct the entity of the template")
      }
      checkLimits(template, entity: nil, property: nil, element: element)
    }
  }

  private mutating func checkLimits(
    _ request: FetchRequestTemplate, entity: Int?, property: String?, element: String?
  ) {
    if request.fetchLimit < 0 || request.fetchBatchSize < 0 {
      report(
        .invalidCount, entity: entity, property: property, element: element, errorUpTo: .strict,
        "the fetch request \(request.name) has a negative limit or batch size", hint: "use 0 for no limit")
    }
    if !Self.resultTypes.contains(request.resultType) {
      report(
        .invalidValue, entity: entity, property: property, element: element, errorUpTo: .strict,
        "the fetch request \(request.name) has the unknown result type \(request.resultType)",
        hint: "use 0 (objects), 1 (object ids), 2 (dictionaries) or 4 (count)")
    }
  }

  mutating func checkConfigurations(_ configurations: [String: [String]]) {
    for name in configurations.keys.sortedByCodePoint({ $0 }) {
      for member in configurations[name] ?? [] where indexByName[member] == nil {
        report(
          .unknownEntity, element: "configuration \(name)", errorUpTo: .strict,
          "the configuration \(name) lists the entity \(member), which is not in the model",
          hint: suggestEntity(member) ?? "remove \(member) from the configuration")
      }
    }
  }
}
