import Foundation
import MemoryStore
import ObjectModel
import StoreInterface

/// Makes a store's contents from an XML file. Nothing is skipped: an element that the model has no place for is an
/// error.
struct XMLStoreDecoder {
  private let document: XMLStoreDocument
  private let model: ManagedObjectModel
  /// Upper-case name → entity.
  private let entities: [String: Entity]
  private var identifier = UUID()

  init(_ document: XMLStoreDocument, model: ManagedObjectModel) throws(StoreError) {
    self.document = document
    self.model = model
    var entities: [String: Entity] = [:]
    for entity in model.entities {
      if let other = entities.updateValue(entity, forKey: entity.name.uppercased()) {
        throw .unsupported(
          "\(other.name) and \(entity.name) differ in case only, which an XML store does not tell apart")
      }
    }
    self.entities = entities
  }

  func contents() throws(StoreError) -> StoreContents {
    var decoder = self
    return try decoder.decode()
  }

  private mutating func decode() throws(StoreError) -> StoreContents {
    let head = try XMLStoreHead(document)
    identifier = head.identifier
    var contents = StoreContents(identifier: identifier)
    contents.metadata = head.metadata
    // Objects of another model are better explained by its hashes.
    try StoreContents.check(head.metadata, against: model)

    guard let nextText = document.info.child("nextObjectID")?.text.trimmed, let next = Int64(nextText), next >= 1
    else { throw .failure("there is no <nextObjectID>, or it is no number from 1") }
    let ids = try objectIDs()
    for entity in model.entities where entity.superentity == nil { contents.nextPrimaryKeys[entity.name] = next }
    for object in document.objects {
      guard let id = ids[object.id] else { continue }
      let (snapshot, lists) = try snapshot(object, id, ids, next: next)
      contents.snapshots.append(snapshot)
      contents.toMany += lists
    }
    return contents
  }

  // MARK: - Objects

  private func objectIDs() throws(StoreError) -> [String: ObjectID] {
    var ids: [String: ObjectID] = [:]
    for object in document.objects {
      let place = "line \(object.line)"
      guard let entity = entities[object.type] else {
        throw .failure("\(place): the model has no entity \(object.type)")
      }
      guard let key = key(object.id) else { throw .failure("\(place): \"\(object.id)\" is no id of an object") }
      let id = ObjectID(entity: entity, reference: .permanent(store: identifier.uuidString, primaryKey: key))
      guard ids.updateValue(id, forKey: object.id) == nil else {
        throw .failure("\(place): the id \(object.id) stands twice")
      }
    }
    return ids
  }

  /// The number in an id such as `z102`, in the only way in which it can be written.
  private func key(_ id: String) -> Int64? {
    guard id.hasPrefix("z"), let key = Int64(id.dropFirst()), key >= 1, "z\(key)" == id else { return nil }
    return key
  }

  private func snapshot(
    _ object: XMLStoreDocument.Object, _ id: ObjectID, _ ids: [String: ObjectID], next: Int64
  ) throws(StoreError) -> (Snapshot, [SaveRequest.ToManyChange]) {
    let entity = id.entity
    let described = entity.attributes
    let relationships = entity.relationships
    var attributes = [Value](repeating: .null, count: described.count)
    var seen = Set<String>()
    for property in object.attributes {
      let place = "line \(property.line): \(entity.name).\(property.name)"
      let path = property.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard let index = described.firstIndex(where: { $0.name == path[0] }),
        let leaf = described[index].storedElement(at: path.dropFirst())
      else { throw .failure("\(place) is no attribute of the model") }
      guard seen.insert(property.name).inserted else { throw .failure("\(place) stands twice") }
      guard let value = value(property, leaf) else {
        throw .failure(
          "\(place): \"\(property.text.prefix(80))\" of type \(property.type) is no \(leaf.type.name)")
      }
      attributes[index] = attributes[index].settingElement(at: path.dropFirst(), to: value)
    }
    var toOne = [ObjectID?](repeating: nil, count: relationships.count)
    var lists: [SaveRequest.ToManyChange] = []
    for property in object.relationships {
      let place = "line \(property.line): \(entity.name).\(property.name)"
      guard let index = relationships.firstIndex(where: { $0.name == property.name }) else {
        throw .failure("\(place) is no relationship of the model")
      }
      guard seen.insert(property.name).inserted else { throw .failure("\(place) stands twice") }
      var members: [ObjectID] = []
      for reference in property.text.split(separator: " ") {
        members.append(
          try destination(String(reference), ids, relationships[index].destination, next: next, place: place))
      }
      if relationships[index].isToMany {
        lists.append(SaveRequest.ToManyChange(owner: id, relationshipName: property.name, members: members))
      } else if members.count > 1 {
        throw .failure("\(place) is to-one and leads to \(members.count) objects")
      } else {
        toOne[index] = members.first
      }
    }
    let version = try version(object)
    return (Snapshot(objectID: id, version: version, attributes: attributes, toOne: toOne), lists)
  }

  /// Relationships without a delete rule may still lead to an object that was deleted.
  private func destination(
    _ reference: String, _ ids: [String: ObjectID], _ entity: Entity, next: Int64, place: String
  ) throws(StoreError) -> ObjectID {
    if let id = ids[reference] { return id }
    guard let key = key(reference), key < next else {
      throw .failure("\(place) leads to \(reference), which does not exist")
    }
    return ObjectID(entity: entity, reference: .permanent(store: identifier.uuidString, primaryKey: key))
  }

  private func version(_ object: XMLStoreDocument.Object) throws(StoreError) -> Int64 {
    guard let text = object.version else { return 1 }
    guard let version = Int64(text), version >= 1 else {
      throw .failure("line \(object.line): \"\(text)\" is no version")
    }
    return version
  }

  private func value(_ property: XMLStoreDocument.Property, _ attribute: AttributeDefinition) -> Value? {
    let type: AttributeType
    if attribute.type.holdsAnyValue {
      guard let named = AttributeType.allCases.first(where: { $0.xmlName == property.type }) else { return nil }
      type = named
    } else {
      guard attribute.type.xmlName == property.type else { return nil }
      type = attribute.type
    }
    let text = property.text
    switch type {
    case .integer16: return Int16(text).map { .integer(Int64($0)) }
    case .integer32: return Int32(text).map { .integer(Int64($0)) }
    case .integer64: return StoredText.integer(text).map { .integer($0) }
    case .boolean: return StoredText.boolean(text).map { .boolean($0) }
    case .double: return StoredText.real(text).map { .double($0) }
    case .float: return StoredText.real(text).map { .double(Double(Float($0))) }
    case .date: return StoredText.real(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return StoredText.decimal(text).map { .decimal($0) }
    case .string: return .string(text)
    case .binary, .transformable: return StoredText.data(text).map { .data($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .uri: return StoredText.uri(text).map { .uri($0) }
    case .undefined, .objectID, .composite: return nil
    }
  }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
