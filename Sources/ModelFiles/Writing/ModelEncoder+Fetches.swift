import ObjectModel

extension ModelEncoder {
  /// A fetch request; what has its default is left out, as Xcode leaves it out.
  func encode(_ request: FetchRequestTemplate) -> XMLElement {
    var element = XMLElement("fetchRequest")
    element.add("name", request.name)
    element.add("entity", request.entityName)
    element.add("predicateString", request.predicate)
    if request.resultType != 0 { element.add("resultType", String(request.resultType)) }
    if request.fetchLimit != 0 { element.add("fetchLimit", String(request.fetchLimit)) }
    if request.fetchBatchSize != 0 { element.add("fetchBatchSize", String(request.fetchBatchSize)) }
    if !request.includesSubentities { element.add("includesSubentities", "NO") }
    if !request.includesPropertyValues { element.add("includePropertyValues", "NO") }
    if !request.includesPendingChanges { element.add("includesPendingChanges", "NO") }
    if !request.returnsObjectsAsFaults { element.add("returnObjectsAsFaults", "NO") }
    element.add("returnDistinctResults", ifTrue: request.returnsDistinctResults)
    return element
  }

  func encode(_ property: FetchedPropertyDefinition) -> XMLElement {
    var element = XMLElement("fetchedProperty")
    element.add("name", property.name)
    element.add("optional", "YES")
    element.children = [encode(property.fetchRequest)]
    if let info = encode(userInfo: property.userInfo) { element.children.append(info) }
    return element
  }

  func encode(_ index: FetchIndexDefinition) -> XMLElement {
    var element = XMLElement("fetchIndex")
    element.add("name", index.name)
    element.add("partialIndexPredicate", index.partialIndexPredicate)
    element.children = index.elements.map { encode($0) }
    return element
  }

  private func encode(_ element: FetchIndexDefinition.Element) -> XMLElement {
    var written = XMLElement("fetchIndexElement")
    switch element.content {
    case .property(let name): written.add("property", name)
    case .expression(let expression, let type):
      written.add("expression", expression)
      written.add("expressionType", type)
    }
    written.add("type", element.kind == .rTree ? "RTree" : "Binary")
    written.add("order", element.isAscending ? "ascending" : "descending")
    return written
  }
}
