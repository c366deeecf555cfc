import ObjectModel
import StoreInterface

/// A column of a record file.
struct RecordColumn {
  enum Content {
    /// An attribute by its position in `Entity.attributes`; for a composite one of its stored elements, by its path
    /// inside it.
    case attribute(Int, element: [String], AttributeDefinition)
    /// By position in `Entity.relationships`: the key of the destination.
    case toOne(Int, Relationship)
    /// The keys of the members.
    case toMany(Relationship)
  }

  /// The property's name; the dotted path of an element.
  var name: String
  var content: Content
}

/// Which files a model's objects are kept in, and what stands in them.
struct RecordLayout {
  /// An entity with a file of its own.
  struct File {
    var entity: Entity
    var columns: [RecordColumn]
  }

  let format: RecordFileFormat
  let files: [File]
  /// By `Entity.index`: the position in `Entity.attributes` of the attribute that identifies an object.
  private let keys: [Int?]

  /// - Parameter options: `key.<Entity>` names the attribute that identifies an entity's objects; without it, the first
  ///   uniqueness constraint of one attribute does.
  /// - Throws: `StoreError.unsupported` for a model that record files cannot hold.
  init(_ model: ManagedObjectModel, format: RecordFileFormat, options: [String: Value]) throws(StoreError) {
    self.format = format
    var keys: [Int?] = []
    for entity in model.entities { keys.append(try Self.key(of: entity, options: options)) }
    self.keys = keys
    var files: [File] = []
    var names = Set<String>()
    for entity in model.entities where !entity.isAbstract {
      guard names.insert(entity.name.lowercased()).inserted else {
        throw .unsupported("two entities are named \(entity.name) but for case, and so would their files be")
      }
      files.append(File(entity: entity, columns: try Self.columns(of: entity, keys: keys)))
      if format == .csv && files[files.count - 1].columns.isEmpty {
        throw .unsupported("\(entity.name) has no properties, and a CSV file without columns holds no records")
      }
    }
    self.files = files
  }

  /// The position of the attribute that identifies objects of an entity and its sub-entities.
  func key(of entity: Entity) -> Int? { keys[entity.index] }

  /// The text that identifies an object to references that lead to `destination`; nil when its value is missing.
  func keyText(of snapshot: Snapshot, in destination: Entity) -> String? {
    guard let index = keys[destination.index] else { return nil }
    // The attribute may lie elsewhere in a sub-entity.
    let name = destination.attributes[index].name
    guard let own = snapshot.objectID.entity.attributes.firstIndex(where: { $0.name == name }) else { return nil }
    return RecordText.text(snapshot.attributes[own])
  }

  private static func key(of entity: Entity, options: [String: Value]) throws(StoreError) -> Int? {
    var name = entity.uniquenessConstraints.first { $0.count == 1 && isKey($0[0], of: entity) }?[0]
    var ancestor: Entity? = entity
    while let here = ancestor {
      if case .string(let stated) = options["key.\(here.name)"] {
        guard isKey(stated, of: here) else {
          throw .unsupported("\(here.name).\(stated) is no attribute that can identify objects")
        }
        name = stated
        break
      }
      ancestor = here.superentity
    }
    return entity.attributes.firstIndex { $0.name == name }
  }

  /// Whether an attribute's values have one text each.
  private static func isKey(_ name: String, of entity: Entity) -> Bool {
    guard let attribute = entity.attribute(name), !attribute.isTransient, attribute.derivation == nil else {
      return false
    }
    return [.string, .integer16, .integer32, .integer64, .uuid, .uri].contains(attribute.type)
  }

  private static func columns(of entity: Entity, keys: [Int?]) throws(StoreError) -> [RecordColumn] {
    var columns: [RecordColumn] = []
    for (index, attribute) in entity.attributes.enumerated() where !attribute.isTransient {
      for leaf in StoredAttribute.leaves(of: attribute) {
        if leaf.attribute.type.holdsAnyValue {
          throw .unsupported("\(entity.name).\(leaf.path) is of type \(leaf.attribute.type.name), which has no text")
        }
        columns.append(
          RecordColumn(
            name: leaf.path, content: .attribute(index, element: Array(leaf.names.dropFirst()), leaf.attribute)))
      }
    }
    for (index, relationship) in entity.relationships.enumerated() where hasColumn(relationship) {
      guard keys[relationship.destination.index] != nil else {
        throw .unsupported(
          "\(entity.name).\(relationship.name) leads to \(relationship.destination.name), which has no uniqueness "
            + "constraint of one attribute; name the one that identifies its objects in the option "
            + "\"key.\(relationship.destination.name)\"")
      }
      columns.append(
        RecordColumn(
          name: relationship.name,
          content: relationship.isToMany ? .toMany(relationship) : .toOne(index, relationship)))
    }
    return columns
  }

  /// Whether a relationship is written on this side. Of a many-to-many relationship the side that comes first by name
  /// is, and the other one only for its order.
  static func hasColumn(_ relationship: Relationship) -> Bool {
    guard relationship.isToMany, let inverse = relationship.inverse else { return true }
    if relationship.isOrdered { return true }
    if !inverse.isToMany { return false }
    let own = relationship.declaringEntity.name + "." + relationship.name
    let other = inverse.declaringEntity.name + "." + inverse.name
    return inverse.isOrdered ? false : !other.precedesByCodePoint(own)
  }
}
