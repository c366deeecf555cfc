import Foundation
import ObjectModel
import PropertyLists

/// Makes a mapping model of what Xcode's editor wrote, as its compiler does: with names and expressions for what the
/// editor leaves to it.
struct MappingCompiler {
  private let document: MappingDocument
  private let source: ManagedObjectModel
  private let destination: ManagedObjectModel
  private let path: String
  /// Destination entity → names of the mappings that make its objects.
  private var makers: [String: [String]] = [:]
  private var warnings: [ModelError.Problem] = []

  static func compile(_ document: MappingDocument, path: String) throws(ArchiveError) -> MappingModelFile {
    let (source, destination) = (
      try embeddedModel(document, "source"), try embeddedModel(document, "destination")
    )
    var compiler = MappingCompiler(document, source.model, destination.model, path)
    let model = try compiler.mappingModel()
    return MappingModelFile(
      mappingModel: model, path: path, source: source, destination: destination, warnings: compiler.warnings)
  }

  private init(
    _ document: MappingDocument, _ source: ManagedObjectModel, _ destination: ManagedObjectModel, _ path: String
  ) {
    self.document = document
    self.source = source
    self.destination = destination
    self.path = path
  }

  private static func embeddedModel(
    _ document: MappingDocument, _ side: String
  ) throws(ArchiveError) -> MappingModelFile.EmbeddedModel {
    guard let bytes = try document.root.data("\(side)modeldata") else {
      throw ArchiveError("the mapping model has no copy of its \(side) model")
    }
    let model = try EmbeddedModelReader.read(KeyedArchive(bytes).root())
    return MappingModelFile.EmbeddedModel(model: model, path: document.root.text("\(side)modelpath") ?? "")
  }

  // MARK: - Entity mappings

  private mutating func mappingModel() throws(ArchiveError) -> MappingModel {
    var numbered: [(number: Int, object: MappingDocument.Object)] = []
    for object in try document.objects("entitymappings", of: document.root, type: "XDDEVENTITYMAPPING") {
      do throws(ArchiveError) {
        numbered.append((try object.integer("mappingnumber") ?? .max, object))
      } catch {
        throw error.naming(Self.name(of: object))
      }
    }
    let objects = numbered.sorted { ($0.number, $0.object.id) < ($1.number, $1.object.id) }.map(\.object)
    for object in objects {
      if let name = object.text("destinationname") { makers[name, default: []].append(Self.name(of: object)) }
    }
    var mappings: [EntityMapping] = []
    for object in objects {
      do throws(ArchiveError) {
        mappings.append(try entityMapping(object))
      } catch {
        throw error.naming(Self.name(of: object))
      }
    }
    if Set(mappings.map(\.name)).count != mappings.count {
      throw ArchiveError("two entity mappings have the same name")
    }
    return MappingModel(entityMappings: mappings)
  }

  private static func name(of object: MappingDocument.Object) -> String {
    let destination = object.text("destinationname") ?? ""
    return object.text("name") ?? object.text("sourcename").map { "\($0)To\(destination)" } ?? destination
  }

  private mutating func entityMapping(_ object: MappingDocument.Object) throws(ArchiveError) -> EntityMapping {
    let (sourceName, destinationName) = (object.text("sourcename"), object.text("destinationname"))
    let sourceEntity = sourceName.flatMap { source[$0] }
    if let sourceName, sourceEntity == nil { warn(object, sourceName, source, "source") }
    let destinationEntity = destinationName.flatMap { destination[$0] }
    if destinationEntity == nil { warn(object, destinationName, destination, "destination") }
    var mapping = EntityMapping(
      Self.name(of: object), type(object, sourceEntity, destinationEntity), from: sourceName, to: destinationName)
    mapping.sourceEntityVersionHash = sourceEntity?.versionHash
    mapping.destinationEntityVersionHash = destinationEntity?.versionHash
    mapping.entityMigrationPolicyClassName = object.text("migrationpolicyclassname")
    mapping.sourceExpression = try sourceExpression(object, sourceName)
    if let info = try object.data("userinfodata") {
      guard case .object(let root) = try KeyedArchive(info).root() else {
        throw ArchiveError("userinfodata is damaged")
      }
      mapping.userInfo = try CompiledMappingReader.userInfo(root.entries())
    }
    for property in try document.objects("attributemappings", of: object, type: "XDDEVATTRIBUTEMAPPING") {
      guard let name = property.text("name") else { throw ArchiveError("an attribute mapping has no name") }
      let automatic = sourceEntity?.attribute(name) == nil ? nil : "$source." + PredicateWords.keyPath([name])
      mapping.attributeMappings.append(PropertyMapping(name, try explicit(property, name) ?? automatic))
    }
    for property in try document.objects("relationshipmappings", of: object, type: "XDDEVRELATIONSHIPMAPPING") {
      guard let name = property.text("name") else { throw ArchiveError("a relationship mapping has no name") }
      let expression = try explicit(property, name) ?? automatic(property, name, sourceEntity, destinationEntity)
      mapping.relationshipMappings.append(PropertyMapping(name, expression))
    }
    mapping.attributeMappings.sort(by: Self.precedes)
    mapping.relationshipMappings.sort(by: Self.precedes)
    return mapping
  }

  private func type(
    _ object: MappingDocument.Object, _ source: Entity?, _ destination: Entity?
  ) -> EntityMapping.MappingType {
    if object.text("migrationpolicyclassname") != nil { return .custom }
    if object.text("sourcename") == nil { return .add }
    return source?.definition.managedObjectClassName == destination?.definition.managedObjectClassName
      ? .copy : .transform
  }

  private func sourceExpression(
    _ object: MappingDocument.Object, _ source: String?
  ) throws(ArchiveError) -> String? {
    guard let source else { return nil }
    if let bytes = try object.data("sourceexpressiondata") {
      return try PredicateText.mappingExpression(KeyedArchive(bytes).root())
    }
    let filter = object.text("sourcefilterpredicatestring") ?? "TRUEPREDICATE"
    let request = "FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
    return "FETCH(\(request)\(PredicateWords.quoted(source)), \(PredicateWords.quoted(filter))), "
      + "$manager.sourceContext, NO)"
  }

  // MARK: - Property mappings

  /// The order of compiled mapping models.
  private static func precedes(_ left: PropertyMapping, _ right: PropertyMapping) -> Bool {
    (left.name.lowercased(), left.name) < (right.name.lowercased(), right.name)
  }

  private func explicit(_ property: MappingDocument.Object, _ name: String) throws(ArchiveError) -> String? {
    do throws(ArchiveError) {
      guard let bytes = try property.data("valueexpressiondata") else { return nil }
      return try PredicateText.mappingExpression(KeyedArchive(bytes).root())
    } catch {
      throw error.naming(name)
    }
  }

  private func automatic(
    _ property: MappingDocument.Object, _ name: String, _ source: Entity?, _ destination: Entity?
  ) -> String? {
    let path = "$source." + PredicateWords.keyPath([name])
    if let mapping = property.text("sourcemappingname") {
      return lookup("ForEntityMappingNamed", mapping, property.text("sourcekeypath") ?? path)
    }
    guard source?.relationship(name) != nil, let target = destination?.relationship(name)?.destination else {
      return nil
    }
    let makers = makers[target.name] ?? []
    if !target.subentities.isEmpty || makers.count > 1 { return lookup("ForSourceRelationshipNamed", name, path) }
    return makers.first.map { lookup("ForEntityMappingNamed", $0, path) }
  }

  private func lookup(_ way: String, _ name: String, _ instances: String) -> String {
    "FUNCTION($manager, \"destinationInstances\(way):sourceInstances:\", \(PredicateWords.quoted(name)), \(instances))"
  }

  /// Notes that the copy of a model has no entity of a name.
  private mutating func warn(
    _ object: MappingDocument.Object, _ name: String?, _ model: ManagedObjectModel, _ side: String
  ) {
    let mapping = Self.name(of: object)
    let what =
      name.map { "has the \(side) entity \($0), which its copy of the \(side) model does not have" }
      ?? "has no \(side) entity"
    let names = model.entities.map(\.name)
    warnings.append(
      ModelError.Problem(
        .unknownEntity, entity: name, element: "entity mapping \(mapping)", file: path,
        message: (mapping.isEmpty ? "an entity mapping" : "the entity mapping \(mapping)") + " \(what)",
        hint: name.flatMap { Suggestion.hint(for: $0, among: names) } ?? Suggestion.list("there are", names)))
  }
}
