import ObjectModel

extension ModelDecoder {
  mutating func decodeTemplate(_ node: XMLNode) -> FetchRequestTemplate? {
    var reader = NodeReader(node)
    guard let name = reader.requiredText("name", &log) else { return nil }
    log.declare(element: "fetchRequest \(name)", line: node.line)
    return decodeRequest(node, name: name, &reader)
  }

  mutating func decodeFetchedProperty(_ node: XMLNode, entity: String) -> FetchedPropertyDefinition? {
    var reader = NodeReader(node, entity: entity, property: node.attributes["name"])
    guard let name = reader.requiredText("name", &log) else { return nil }
    log.declare(entity: entity, property: name, line: node.line)
    reader.ignore("optional", "syncable", "transient", "elementID", "spotlightIndexingEnabled", "versionHashModifier")
    reader.finish(&log)
    var request: FetchRequestTemplate?
    var userInfo: [String: String] = [:]
    for child in node.children {
      switch child.name {
      case "fetchRequest":
        var inner = NodeReader(child, entity: entity, property: name)
        let requestName = inner.nonEmptyText("name") ?? name
        request = decodeRequest(child, name: requestName, &inner)
      case "userInfo":
        userInfo.merge(decodeUserInfo(child)) { first, _ in first }
      default:
        reader.unknown(child, &log)
      }
    }
    guard let request else {
      if !node.children.contains(where: { $0.name == "fetchRequest" }) {
        reader.warn(
          .missingAttribute, "the fetched property has no fetch request and was left out",
          hint: "add <fetchRequest entity=\"…\"/>", &log)
      }
      return nil
    }
    var property = FetchedPropertyDefinition(name, fetchRequest: request)
    property.userInfo = userInfo
    return property
  }

  private mutating func decodeRequest(
    _ node: XMLNode, name: String, _ reader: inout NodeReader
  ) -> FetchRequestTemplate? {
    guard let entity = reader.nonEmptyText("entity") else {
      reader.warn(
        .missingAttribute, "the fetch request \(name) has no entity and was left out", hint: "add entity=\"…\"", &log)
      return nil
    }
    var request = FetchRequestTemplate(name, entityName: entity, predicate: reader.nonEmptyText("predicateString"))
    request.fetchLimit = reader.integer("fetchLimit", &log) ?? 0
    request.fetchBatchSize = reader.integer("fetchBatchSize", &log) ?? 0
    request.resultType = reader.integer("resultType", &log) ?? 0
    request.includesSubentities = reader.flag("includesSubentities", default: true, &log)
    request.includesPropertyValues = reader.flag("includePropertyValues", default: true, &log)
    request.includesPendingChanges = reader.flag("includesPendingChanges", default: true, &log)
    request.returnsObjectsAsFaults = reader.flag("returnObjectsAsFaults", default: true, &log)
    request.returnsDistinctResults = reader.flag("returnDistinctResults", &log)
    reader.finish(&log)
    for child in node.children { reader.unknown(child, &log) }
    return request
  }

  mutating func decodeFetchIndex(_ node: XMLNode, entity: String) -> FetchIndexDefinition? {
    var reader = NodeReader(node, entity: entity)
    guard let name = reader.requiredText("name", &log) else { return nil }
    log.declare(entity: entity, element: "fetchIndex \(name)", line: node.line)
    var index = FetchIndexDefinition(name, elements: [])
    index.partialIndexPredicate = reader.nonEmptyText("partialIndexPredicate")
    reader.ignore("elementID")
    reader.finish(&log)
    for child in node.children {
      if child.name == "fetchIndexElement" {
        if let element = decodeIndexElement(child, entity: entity) { index.elements.append(element) }
      } else {
        reader.unknown(child, &log)
      }
    }
    return index
  }

  private mutating func decodeIndexElement(_ node: XMLNode, entity: String) -> FetchIndexDefinition.Element? {
    var reader = NodeReader(node, entity: entity)
    let kind: FetchIndexDefinition.Element.Kind
    switch reader.nonEmptyText("type") ?? "Binary" {
    case "Binary": kind = .binary
    case "RTree": kind = .rTree
    case let text:
      reader.fail(.invalidValue, "type=\"\(text)\" of an index is not known", hint: "use Binary or RTree", &log)
      return nil
    }
    let isAscending: Bool
    switch reader.nonEmptyText("order") ?? "ascending" {
    case "ascending": isAscending = true
    case "descending": isAscending = false
    case let text:
      reader.fail(.invalidValue, "order=\"\(text)\" is not known", hint: "use ascending or descending", &log)
      return nil
    }
    let property = reader.nonEmptyText("property")
    let expression = reader.nonEmptyText("expression")
    let expressionType = reader.nonEmptyText("expressionType")
    reader.finish(&log)
    switch (property, expression) {
    case (let property?, _):
      return FetchIndexDefinition.Element(.property(property), kind: kind, isAscending: isAscending)
    case (nil, let expression?):
      return FetchIndexDefinition.Element(
        .expression(expression, type: expressionType), kind: kind, isAscending: isAscending)
    case (nil, nil):
      reader.fail(
        .missingAttribute, "<fetchIndexElement> has neither property nor expression",
        hint: "add property=\"…\"", &log)
      return nil
    }
  }
}
