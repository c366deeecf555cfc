import ObjectModel

/// Turns the XML tree of a model into definitions, and those into a validated model.
struct ModelDecoder {
  var log: DecodingLog
  /// Composite types by name, filled before any entity is decoded.
  var composites = CompositeTypes()

  init(path: String) {
    log = DecodingLog(path: path)
  }

  mutating func decode(_ root: XMLNode) throws(ModelError) -> ManagedObjectModel {
    guard root.name == "model" else {
      throw ModelError(
        .unsupportedFormat, file: log.path, line: root.line, "the root element is <\(root.name)>, not <model>",
        hint: "give a data model; mapping models and other XML files are not models")
    }
    var reader = NodeReader(root)
    let identifier = reader.text("userDefinedModelVersionIdentifier") ?? ""
    if let version = reader.text("documentVersion"), version != "1.0" {
      log.warn(line: root.line, "the document version is \(version); only 1.0 is known")
    }
    reader.ignore(
      "type", "name", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
      "usedWithCloudKit", "usedWithSwiftData", "macOSVersion", "iOSVersion", "tvOSVersion", "watchOSVersion",
      "visionOSVersion")
    reader.finish(&log)

    decodeComposites(root)
    var entities: [EntityDefinition] = []
    var templates: [FetchRequestTemplate] = []
    var configurations: [String: [String]] = [:]
    for child in root.children {
      switch child.name {
      case "entity":
        if let entity = decodeEntity(child) { entities.append(entity) }
      case "fetchRequest":
        if let template = decodeTemplate(child) { templates.append(template) }
      case "configuration":
        decodeConfiguration(child, into: &configurations)
      case "composite", "elements":
        break
      default:
        reader.unknown(child, &log)
      }
    }
    checkInverseEntities(root)
    return try validated(entities, configurations, templates, identifier)
  }

  /// Builds the model; its mistakes come after those of the XML, all in one error.
  private mutating func validated(
    _ entities: [EntityDefinition], _ configurations: [String: [String]], _ templates: [FetchRequestTemplate],
    _ identifier: String
  ) throws(ModelError) -> ManagedObjectModel {
    var problems = log.problems
    do {
      let model = try ManagedObjectModel(
        entities: entities, configurations: configurations, fetchRequestTemplates: templates,
        versionIdentifier: identifier, validation: .source)
      for warning in model.warnings + NameAdvice.warnings(entities) { log.warn(log.located(warning)) }
      if problems.isEmpty { return model }
    } catch {
      problems += error.problems.map(log.located)
    }
    problems.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    throw ModelError(problems)
  }

  private mutating func decodeConfiguration(_ node: XMLNode, into configurations: inout [String: [String]]) {
    var reader = NodeReader(node)
    guard let name = reader.requiredText("name", &log) else { return }
    reader.ignore("usedWithCloudKit")
    reader.finish(&log)
    log.declare(element: "configuration \(name)", line: node.line)
    guard configurations[name] == nil else {
      reader.fail(
        .duplicateName, "there is more than one configuration named \(name)", hint: "rename or remove one of them",
        &log)
      return
    }
    var members: [String] = []
    for child in node.children {
      guard child.name == "memberEntity" else {
        reader.unknown(child, &log)
        continue
      }
      var member = NodeReader(child)
      if let name = member.requiredText("name", &log) { members.append(name) }
      member.finish(&log)
    }
    configurations[name] = members
  }

  /// `inverseEntity` should repeat the destination. Where it does not, the destination counts.
  private mutating func checkInverseEntities(_ root: XMLNode) {
    for entity in root.children where entity.name == "entity" {
      for node in entity.children where node.name == "relationship" {
        guard let inverse = node.attributes["inverseEntity"], let destination = node.attributes["destinationEntity"],
          inverse != destination
        else { continue }
        let name = node.attributes["name"] ?? ""
        NodeReader(node, entity: entity.attributes["name"], property: name).warn(
          .inverseMismatch, "the inverse is on \(inverse) but the destination is \(destination), which counts",
          hint: "make inverseEntity and destinationEntity the same", &log)
      }
    }
  }

  /// The entries of a `<userInfo>` child; the first wins when a key stands twice.
  mutating func decodeUserInfo(_ node: XMLNode) -> [String: String] {
    let reader = NodeReader(node)
    reader.finish(&log)
    var entries: [String: String] = [:]
    for child in node.children {
      guard child.name == "entry" else {
        reader.unknown(child, &log)
        continue
      }
      var entry = NodeReader(child)
      let value = entry.text("value") ?? ""
      if entry.text("key") == "" {
        log.warn(line: child.line, "a user info entry has an empty key; it was left out")
      } else if let key = entry.requiredText("key", &log) {
        if entries[key] == nil {
          entries[key] = value
        } else {
          log.warn(line: child.line, "the user info key \(key) stands twice; the first one was taken")
        }
      }
      entry.finish(&log)
    }
    return entries
  }
}
