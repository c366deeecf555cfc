import ObjectModel
import PropertyLists

/// Reads the copy of a model that Xcode's editor keeps inside a mapping model: an archive of the editor's own objects
/// (`XDPMModel`). What version hashes are made of is read, without derivations, composites and the mark for history.
enum EmbeddedModelReader {
  static func read(_ root: ArchivedValue) throws(ArchiveError) -> ManagedObjectModel {
    guard case .object(let model) = root, model.className == "XDPMModel",
      case .object(let package)? = try model.value("_xd_rootPackage"),
      let classes = try package.dictionary("XDBucketForClassesstorage")
    else { throw ArchiveError("an embedded model is no model of Xcode's editor") }
    var entities: [EntityDefinition] = []
    for (name, value) in classes {
      guard case .object(let object) = value, object.className == "XDPMEntity" else {
        throw ArchiveError("\(value.shownKind) stands where an entity belongs")
      }
      do throws(ArchiveError) {
        entities.append(try entity(object, name: name))
      } catch {
        throw error.naming(name)
      }
    }
    do throws(ModelError) {
      return try ManagedObjectModel(
        entities: entities, versionIdentifier: "", validation: .compiled)
    } catch {
      throw ArchiveError("an embedded model is not valid: \(error.problems.first?.message ?? "")")
    }
  }

  private static func entity(_ object: ArchivedObject, name: String) throws(ArchiveError) -> EntityDefinition {
    let settings = try Stereotypes(object)
    var entity = EntityDefinition(name)
    entity.isAbstract = try settings.flag("XD_PSK_isAbstract")
    entity.managedObjectClassName = try settings.string("XD_PSK_entityClassName")
    entity.versionHashModifier = try settings.string("XD_PSK_versionHashModifier")
    entity.renamingIdentifier = try settings.string("XD_PSK_elementID")
    entity.uniquenessConstraints = try settings.nameLists("XDPMUniquenessConstraints")
    entity.superentityName = try parentName(object)
    for (name, value) in try object.dictionary("XDBucketForOwnedAttributesstorage") ?? [] {
      guard case .object(let property) = value else { throw ArchiveError("\(name) is \(value.shownKind)") }
      try property.archive.spend(32)
      switch property.className {
      case "XDPMAttribute": entity.attributes.append(try attribute(property, name: name))
      case "XDPMRelationship": entity.relationships.append(try relationship(property, name: name))
      // Fetched properties enter no hash, and no mapping has them.
      default: break
      }
    }
    return entity
  }

  private static func parentName(_ object: ArchivedObject) throws(ArchiveError) -> String? {
    guard case .object(let generalization)? = try object.list("XDBucketForGeneralizationsstorage")?.first,
      case .object(let parent)? = try generalization.value("_general")
    else { return nil }
    return try parent.requiredString("_name")
  }

  private static func attribute(
    _ object: ArchivedObject, name: String
  ) throws(ArchiveError) -> AttributeDefinition {
    let settings = try Stereotypes(object)
    let number = try settings.integer("XD_PAttK_attributeType") ?? 0
    guard let type = Int32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
      throw ArchiveError("the attribute type \(number) of \(name) is not known")
    }
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = try settings.flag("XD_PPSK_isOptional")
    attribute.isTransient = try settings.flag("XD_PPSK_isTransient")
    attribute.isIndexed = try settings.flag("XD_PPSK_isIndexed")
    attribute.versionHashModifier = try settings.string("XD_PPSK_versionHashModifier")
    attribute.renamingIdentifier = try settings.string("XD_PPSK_elementID")
    attribute.allowsExternalBinaryDataStorage = try settings.flag("XD_PAttK_allowsExternalBinaryDataStorage")
    attribute.valueTransformerName = try settings.string("XD_PAttK_valueTransformerName")
    return attribute
  }

  private static func relationship(
    _ object: ArchivedObject, name: String
  ) throws(ArchiveError) -> RelationshipDefinition {
    let settings = try Stereotypes(object)
    guard let destination = try settings.name("XD_PRK_destination") else {
      throw ArchiveError("the relationship \(name) has no destination")
    }
    var relationship = RelationshipDefinition(
      name, toOne: destination, inverse: try settings.name("XD_PRK_inverseRelationship"))
    relationship.isToMany = try settings.flag("XD_PRK_isToMany")
    relationship.minimumCount = try settings.integer("XD_PRK_minCount") ?? 0
    relationship.maximumCount = try settings.integer("XD_PRK_maxCount") ?? (relationship.isToMany ? 0 : 1)
    relationship.isOrdered = try settings.flag("XD_PRK_ordered")
    relationship.deleteRule =
      DeleteRule(rawValue: try settings.integer("XD_PRK_deleteRule") ?? DeleteRule.nullify.rawValue) ?? .nullify
    relationship.isOptional = try settings.flag("XD_PPSK_isOptional")
    relationship.isTransient = try settings.flag("XD_PPSK_isTransient")
    relationship.versionHashModifier = try settings.string("XD_PPSK_versionHashModifier")
    relationship.renamingIdentifier = try settings.string("XD_PPSK_elementID")
    return relationship
  }
}

/// The values of the editor's stereotypes for an entity or property, by their keys.
private struct Stereotypes {
  private var values: [String: ArchivedValue] = [:]

  init(_ object: ArchivedObject) throws(ArchiveError) {
    for (_, stereotype) in try object.dictionary("XDBucketForStereotypesstorage") ?? [] {
      guard case .object(let stereotype) = stereotype else { continue }
      for (key, setting) in try stereotype.dictionary("XDBucketForOwnedAttributesstorage") ?? [] {
        guard case .object(let setting) = setting else { continue }
        values[key] = try setting.value("_default")
      }
    }
  }

  func flag(_ key: String) throws(ArchiveError) -> Bool {
    switch values[key] {
    case nil: false
    case .boolean(let flag)?: flag
    case .integer(let number)? where number == 0 || number == 1: number == 1
    case let value?: throw ArchiveError("\(key) is \(value.shownKind), not a flag")
    }
  }

  func integer(_ key: String) throws(ArchiveError) -> Int? {
    guard let value = values[key] else { return nil }
    guard let number = value.wholeNumber.flatMap({ Int(exactly: $0) }) else {
      throw ArchiveError("\(key) is \(value.shownKind), not a whole number")
    }
    return number
  }

  /// Nil for an empty text.
  func string(_ key: String) throws(ArchiveError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .string(let text) = value else { throw ArchiveError("\(key) is \(value.shownKind), not a text") }
    return text.nonEmpty
  }

  /// The name of the object that stands there.
  func name(_ key: String) throws(ArchiveError) -> String? {
    guard case .object(let object)? = values[key] else { return nil }
    return try object.requiredString("_name")
  }

  func nameLists(_ key: String) throws(ArchiveError) -> [[String]] {
    var lists: [[String]] = []
    for list in try values[key]?.elements() ?? [] {
      var names: [String] = []
      for name in try list.elements() ?? [] {
        guard case .string(let name) = name else { throw ArchiveError("\(key) has \(name.shownKind) as a name") }
        names.append(name)
      }
      lists.append(names)
    }
    return lists
  }
}
