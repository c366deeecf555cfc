import ObjectModel
import PropertyLists

extension CompiledModelDecoder {
  mutating func decodeFetchedProperty(
    _ object: ArchivedObject, name: String, entity: String
  ) throws(ArchiveError) -> FetchedPropertyDefinition? {
    guard let request = try object.object("NSFetchRequest", .fetchRequest) else {
      warn(entity: entity, property: name, "the fetched property was left out: it has no fetch request")
      return nil
    }
    let entityName = try object.string("_NSFetchRequestEntityName")
    guard
      let template = try decodeRequest(
        request, name: name, entityName: entityName, entity: entity, property: name)
    else { return nil }
    var property = FetchedPropertyDefinition(name, fetchRequest: template)
    property.userInfo = try userInfo(object, entity: entity, property: name)
    return property
  }

  /// Decodes a fetch request; nil, with a warning, when its predicate cannot be said in text.
  mutating func decodeRequest(
    _ object: ArchivedObject, name: String, entityName: String?, entity: String?, property: String?
  ) throws(ArchiveError) -> FetchRequestTemplate? {
    let ownName = try object.object("NSEntity", .entity)?.requiredString("NSEntityName")
    guard let fetched = ownName ?? entityName else {
      warn(entity: entity, property: property, "the fetch request \(name) was left out: it has no entity")
      return nil
    }
    var request = FetchRequestTemplate(name, entityName: fetched)
    if let predicate = try object.value("NSPredicate") {
      guard
        let text = try predicateText(
          predicate, leavingOut: "the fetch request \(name)", entity: entity, property: property)
      else { return nil }
      request.predicate = text
    }
    request.fetchLimit = try object.integer("NSFetchLimit") ?? 0
    request.fetchBatchSize = try object.integer("NSBatchSize") ?? 0
    request.resultType = try object.integer("NSResultType") ?? 0
    if try object.flag("NSHasFetchRequestFlags"), let flags = try object.integer("NSFetchRequestFlags") {
      readFlags(flags, into: &request, entity: entity, property: property)
    }
    if try !(object.list("NSSortDescriptors") ?? []).isEmpty {
      warn(entity: entity, property: property, "the sort descriptors of the fetch request \(name) were left out")
    }
    return request
  }

  /// Every request at hand has the flags 30, which are the defaults of a new request; what each bit means is inferred.
  private mutating func readFlags(
    _ flags: Int, into request: inout FetchRequestTemplate, entity: String?, property: String?
  ) {
    let usualFlags = 30
    request.returnsDistinctResults = flags & 1 != 0
    request.includesSubentities = flags & 2 != 0
    request.includesPropertyValues = flags & 4 != 0
    request.returnsObjectsAsFaults = flags & 8 != 0
    request.includesPendingChanges = flags & 16 != 0
    if flags != usualFlags {
      warn(
        entity: entity, property: property,
        "the flags \(flags) of the fetch request \(request.name) were read by a rule that is not confirmed")
    }
  }

  /// Decodes a fetch index; nil, with a warning, when it holds something that has no text.
  mutating func decodeFetchIndex(
    _ value: ArchivedValue, entity: String
  ) throws(ArchiveError) -> FetchIndexDefinition? {
    guard case .object(let object) = value, object.kind == .fetchIndex else {
      throw ArchiveError("a fetch index is \(value.shownKind)")
    }
    let name = try object.requiredString("NSIndexName")
    var index = FetchIndexDefinition(name, elements: [])
    if let predicate = try object.value("NSPartialIndexPredicate") {
      guard
        let text = try predicateText(predicate, leavingOut: "the fetch index \(name)", entity: entity, property: nil)
      else { return nil }
      index.partialIndexPredicate = text
    }
    for element in try object.list("NSIndexElements") ?? [] {
      guard case .object(let archived) = element, archived.kind == .fetchIndexElement else {
        throw ArchiveError("an element of the fetch index \(name.prefix(128)) is \(element.shownKind)")
      }
      do {
        index.elements.append(try indexElement(archived))
      } catch {
        guard error.isUnsupported else { throw error }
        warn(entity: entity, "the fetch index \(name) was left out: \(error.message)")
        return nil
      }
    }
    return index
  }

  private func indexElement(_ object: ArchivedObject) throws(ArchiveError) -> FetchIndexDefinition.Element {
    let number = try object.integer("NSFetchIndexElementType") ?? 0
    guard let kind = FetchIndexDefinition.Element.Kind(rawValue: number) else {
      throw ArchiveError("the index element type \(number) is not known")
    }
    let isAscending = try object.flag("NSAscending")
    if case .object(let property)? = try object.value("NSIndexedProperty"), property.kind == .expressionProperty,
      let expression = try property.value("NSExpression")
    {
      return FetchIndexDefinition.Element(
        .expression(try PredicateText.expression(expression), type: nil), kind: kind, isAscending: isAscending)
    }
    return FetchIndexDefinition.Element(
      .property(try object.requiredString("NSPropertyName")), kind: kind, isAscending: isAscending)
  }
}
