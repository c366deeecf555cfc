import ObjectModel
import PropertyLists

/// Turns the archive of a compiled model into definitions.
///
/// Objects of the archive are taken one entity at a time; references between entities are followed no further than to
/// a name, so cycles need no care. What has no place in the definitions is left out with a warning.
struct CompiledModelDecoder {
  /// The model's definitions, before they are validated.
  struct Parts {
    var entities: [EntityDefinition] = []
    var configurations: [String: [String]] = [:]
    var templates: [FetchRequestTemplate] = []
    var versionIdentifier = ""
  }

  /// An entity with its properties still archived.
  struct ArchivedEntity {
    var name: String
    var object: ArchivedObject
    var properties: [(key: String, value: ArchivedValue)]
  }

  let path: String
  private(set) var warnings: [ModelError.Problem] = []

  mutating func warn(entity: String? = nil, property: String? = nil, _ message: String) {
    let owner = [entity, property].compactMap { $0 }.joined(separator: ".")
    warnings.append(
      ModelError.Problem(
        .unknownContent, entity: entity, property: property, file: path,
        message: owner.isEmpty ? message : "\(owner): \(message)"))
  }

  mutating func warn(_ warning: ModelError.Problem) {
    var warning = warning
    warning.file = path
    warnings.append(warning)
  }

  mutating func decode(_ root: ArchivedValue) throws(ArchiveError) -> Parts {
    guard case .object(let model) = root, model.kind == .model else {
      throw ArchiveError("it is an archive of \(root.shownKind), not of a model")
    }
    var parts = Parts()
    let entities = try archivedEntities(model)
    var propertyNames: [String: Set<String>] = [:]
    for entity in entities { propertyNames[entity.name] = Set(entity.properties.map(\.key)) }
    for entity in entities {
      do {
        parts.entities.append(try decodeEntity(entity, propertyNames: propertyNames))
      } catch {
        throw error.naming(entity.name)
      }
    }
    parts.configurations = try configurations(model)
    for (name, value) in try model.dictionary("NSFetchRequestTemplates") ?? [] {
      guard case .object(let request) = value, request.kind == .fetchRequest else {
        throw ArchiveError("the fetch request template \(name.prefix(128)) is \(value.shownKind)")
      }
      if let template = try decodeRequest(request, name: name, entityName: nil, entity: nil, property: nil) {
        parts.templates.append(template)
      }
    }
    parts.versionIdentifier = try versionIdentifier(model)
    return parts
  }

  private func archivedEntities(_ model: ArchivedObject) throws(ArchiveError) -> [ArchivedEntity] {
    var entities: [ArchivedEntity] = []
    for (key, value) in try model.dictionary("NSEntities") ?? [] {
      guard case .object(let object) = value, object.kind == .entity, try object.string("NSEntityName") == key else {
        throw ArchiveError("the entity \(key.prefix(128)) is \(value.shownKind), or has another name")
      }
      entities.append(
        ArchivedEntity(name: key, object: object, properties: try object.dictionary("NSProperties") ?? []))
    }
    return entities
  }

  private func configurations(_ model: ArchivedObject) throws(ArchiveError) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for (name, value) in try model.dictionary("NSConfigurations") ?? [] {
      guard let elements = try value.elements() else {
        throw ArchiveError("the configuration \(name.prefix(128)) is \(value.shownKind)")
      }
      var members: [String] = []
      for element in elements {
        guard case .object(let object) = element, object.kind == .entity else {
          throw ArchiveError("a member of the configuration \(name.prefix(128)) is \(element.shownKind)")
        }
        members.append(try object.requiredString("NSEntityName"))
      }
      configurations[name] = members.sorted { $0.precedesByCodePoint($1) }
    }
    return configurations
  }

  private mutating func versionIdentifier(_ model: ArchivedObject) throws(ArchiveError) -> String {
    var identifiers: [String] = []
    for element in try model.list("NSVersionIdentifiers") ?? [] {
      if case .string(let text) = element { identifiers.append(text) }
    }
    identifiers.sort { $0.precedesByCodePoint($1) }
    if identifiers.count > 1 { warn("the model has \(identifiers.count) version identifiers; the first one was taken") }
    return identifiers.first ?? ""
  }

  /// The user info of an entity or property. Values that are not strings have no place and are left out.
  mutating func userInfo(
    _ object: ArchivedObject, entity: String, property: String? = nil
  ) throws(ArchiveError) -> [String: String] {
    var userInfo: [String: String] = [:]
    for (key, value) in try object.dictionary("NSUserInfo") ?? [] {
      if case .string(let text) = value {
        userInfo[key] = text
      } else {
        warn(entity: entity, property: property, "the user info \(key) is \(value.shownKind) and was left out")
      }
    }
    return userInfo
  }

  /// The text of a predicate; nil, with a warning about what is left out, when it cannot be said in text.
  mutating func predicateText(
    _ value: ArchivedValue, leavingOut subject: String, entity: String?, property: String?
  ) throws(ArchiveError) -> String? {
    do {
      return try PredicateText.predicate(value)
    } catch {
      guard error.isUnsupported else { throw error }
      warn(entity: entity, property: property, "\(subject) was left out: \(error.message)")
      return nil
    }
  }
}
