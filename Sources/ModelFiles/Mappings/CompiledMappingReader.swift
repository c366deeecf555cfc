import Foundation
import ObjectModel
import PropertyLists

/// Reads the archive of a compiled mapping model (`.cdm`).
enum CompiledMappingReader {
  static func read(_ root: ArchivedValue) throws(ArchiveError) -> MappingModel {
    guard case .object(let model) = root, model.className == "NSMappingModel",
      let mappings = try model.list("NSEntityMappings")
    else { throw ArchiveError("it is a keyed archive, but not that of a mapping model") }
    var entityMappings: [EntityMapping] = []
    for value in mappings {
      guard case .object(let object) = value, object.className == "NSEntityMapping" else {
        throw ArchiveError("\(value.shownKind) stands where an entity mapping belongs")
      }
      entityMappings.append(try entityMapping(object))
    }
    if Set(entityMappings.map(\.name)).count != entityMappings.count {
      throw ArchiveError("two entity mappings have the same name")
    }
    return MappingModel(entityMappings: entityMappings)
  }

  private static func entityMapping(_ object: ArchivedObject) throws(ArchiveError) -> EntityMapping {
    let name = try object.requiredString("NSMappingName")
    do throws(ArchiveError) {
      guard let type = EntityMapping.MappingType(rawValue: try object.integer("NSMappingType") ?? 0) else {
        throw ArchiveError("the mapping type is none that is known")
      }
      var mapping = EntityMapping(
        name, type, from: try object.string("NSSourceEntityName")?.nonEmpty,
        to: try object.string("NSDestinationEntityName")?.nonEmpty)
      mapping.sourceEntityVersionHash = try hash(object, "NSSourceEntityVersionHash")
      mapping.destinationEntityVersionHash = try hash(object, "NSDestinationEntityVersionHash")
      mapping.sourceExpression = try object.value("NSSourceExpression").map { value throws(ArchiveError) in
        try PredicateText.mappingExpression(value)
      }
      mapping.entityMigrationPolicyClassName = try object.string("NSEntityMigrationPolicyClassName")?.nonEmpty
      mapping.attributeMappings = try propertyMappings(object, "NSAttributeMappings")
      mapping.relationshipMappings = try propertyMappings(object, "NSRelationshipMappings")
      mapping.userInfo = try userInfo(object.dictionary("NSUserInfo"))
      return mapping
    } catch {
      throw error.naming(name)
    }
  }

  private static func propertyMappings(
    _ object: ArchivedObject, _ field: String
  ) throws(ArchiveError) -> [PropertyMapping] {
    var mappings: [PropertyMapping] = []
    for value in try object.list(field) ?? [] {
      guard case .object(let property) = value, property.className == "NSPropertyMapping" else {
        throw ArchiveError("\(value.shownKind) stands where a property mapping belongs")
      }
      let name = try property.requiredString("NSDestinationPropertyName")
      let expression = try property.value("NSValueExpression").map { value throws(ArchiveError) in
        try PredicateText.mappingExpression(value)
      }
      mappings.append(PropertyMapping(name, expression))
    }
    return mappings
  }

  private static func hash(_ object: ArchivedObject, _ field: String) throws(ArchiveError) -> Data? {
    guard let value = try object.value(field) else { return nil }
    guard case .data(let bytes) = value, bytes.count == 32 else {
      throw ArchiveError("\(field) is \(value.shownKind), not the 32 bytes of a version hash")
    }
    return Data(bytes)
  }

  /// The entries whose values are texts, numbers or flags; other entries have no text.
  static func userInfo(
    _ entries: [(key: String, value: ArchivedValue)]?
  ) throws(ArchiveError) -> [String: String] {
    var userInfo: [String: String] = [:]
    for (key, value) in entries ?? [] {
      switch value {
      case .string(let text): userInfo[key] = text
      case .integer(let number): userInfo[key] = String(number)
      case .real(let number): userInfo[key] = String(number)
      case .boolean(let flag): userInfo[key] = flag ? "YES" : "NO"
      default: throw .unsupported("the user info \(key.prefix(64)) is \(value.shownKind)")
      }
    }
    return userInfo
  }
}
