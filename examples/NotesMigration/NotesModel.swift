import Foundation
import Seedbed

/// The model of a note-taking app through four versions, and the mapping models between them.
enum NotesModel {
  /// A note may have one picture: an attribute.
  static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [note([AttributeDefinition("picture", .binary)])], versionIdentifier: "1")
  }

  /// The picture is called image.
  static func second() throws -> ManagedObjectModel {
    var image = AttributeDefinition("image", .binary)
    image.renamingIdentifier = "picture"
    return try ManagedObjectModel(entities: [note([image])], versionIdentifier: "2")
  }

  /// A note may have many attachments, which have the images.
  static func third() throws -> ManagedObjectModel {
    var attachment = attachment
    attachment.attributes.append(AttributeDefinition("image", .binary))
    return try ManagedObjectModel(entities: [noteWithAttachments, attachment], versionIdentifier: "3")
  }

  /// Images are one kind of attachment, with their size and a caption.
  static func fourth() throws -> ManagedObjectModel {
    var image = EntityDefinition("ImageAttachment")
    image.superentityName = "Attachment"
    image.attributes = [
      AttributeDefinition("image", .binary), AttributeDefinition("width", .integer32),
      AttributeDefinition("height", .integer32), AttributeDefinition("caption", .string),
    ]
    return try ManagedObjectModel(entities: [noteWithAttachments, attachment, image], versionIdentifier: "4")
  }

  private static func note(_ attributes: [AttributeDefinition]) -> EntityDefinition {
    var note = EntityDefinition("Note")
    var title = AttributeDefinition("title", .string)
    title.isOptional = false
    title.defaultValue = .string("")
    note.attributes =
      [title, AttributeDefinition("body", .string), AttributeDefinition("created", .date)] + attributes
    return note
  }

  private static var noteWithAttachments: EntityDefinition {
    var note = note([])
    var attachments = RelationshipDefinition("attachments", toMany: "Attachment", inverse: "note")
    attachments.deleteRule = .cascade
    note.relationships = [attachments]
    return note
  }

  private static var attachment: EntityDefinition {
    var attachment = EntityDefinition("Attachment")
    attachment.attributes = [AttributeDefinition("created", .date)]
    attachment.relationships = [RelationshipDefinition("note", toOne: "Note", inverse: "attachments")]
    return attachment
  }

  // MARK: - Mapping models

  /// All versions with their mapping models. From the first to the second version a mapping is inferred.
  static func library() throws -> ModelLibrary {
    let versions = [try first(), try second(), try third(), try fourth()]
    return ModelLibrary(
      versions: versions.enumerated().map { ModelLibrary.Version(name: "Notes \($0.offset + 1)", model: $0.element) },
      mappings: [
        ModelLibrary.Mapping(name: "Notes 2 to 3", mappingModel: try secondToThird(versions[1], versions[2])),
        ModelLibrary.Mapping(name: "Notes 3 to 4", mappingModel: try thirdToFourth(versions[2], versions[3])),
      ])
  }

  /// Every note that has an image gets an attachment with it. The rest is what would be inferred.
  private static func secondToThird(
    _ older: ManagedObjectModel, _ newer: ManagedObjectModel
  ) throws -> MappingModel {
    var mapping = try older.inferredMappingModel(to: newer)
    let notes = mapping.entityMappings.first { $0.destinationEntityName == "Note" }?.name ?? ""
    mapping.entityMappings.removeAll { $0.destinationEntityName == "Attachment" }
    var attachments = EntityMapping("NoteToAttachment", .transform, from: "Note", to: "Attachment")
    attachments.sourceEntityVersionHash = older["Note"]?.versionHash
    attachments.destinationEntityVersionHash = newer["Attachment"]?.versionHash
    attachments.sourceExpression = fetch("Note", where: "image != nil")
    attachments.attributeMappings = [
      PropertyMapping("created", "$source.created"), PropertyMapping("image", "$source.image"),
    ]
    attachments.relationshipMappings = [
      PropertyMapping(
        "note",
        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(notes)\", $source)")
    ]
    mapping.entityMappings.append(attachments)
    return mapping
  }

  /// Attachments become image attachments; a policy measures the images and writes the captions.
  private static func thirdToFourth(
    _ older: ManagedObjectModel, _ newer: ManagedObjectModel
  ) throws -> MappingModel {
    var mapping = try older.inferredMappingModel(to: newer)
    for index in mapping.entityMappings.indices {
      switch mapping.entityMappings[index].destinationEntityName {
      case "ImageAttachment":
        mapping.entityMappings[index].sourceExpression = fetch("Attachment", where: "image != nil")
      case "Attachment": mapping.entityMappings[index].sourceExpression = fetch("Attachment", where: "image == nil")
      default: continue
      }
    }
    guard
      let plain = mapping.entityMappings.first(where: { $0.destinationEntityName == "Attachment" }),
      let index = mapping.entityMappings.firstIndex(where: { $0.destinationEntityName == "ImageAttachment" })
    else { return mapping }
    var images = mapping.entityMappings[index]
    images.mappingType = .custom
    images.sourceEntityName = "Attachment"
    images.sourceEntityVersionHash = older["Attachment"]?.versionHash
    images.entityMigrationPolicyClassName = "Notes.ImageAttachmentPolicy"
    images.attributeMappings = [
      PropertyMapping("caption", "FUNCTION($entityPolicy, \"captionFor:\", $source.note.body)"),
      PropertyMapping("created", "$source.created"),
      PropertyMapping("height", "FUNCTION($entityPolicy, \"heightOf:\", $source.image)"),
      PropertyMapping("image", "$source.image"),
      PropertyMapping("width", "FUNCTION($entityPolicy, \"widthOf:\", $source.image)"),
    ]
    images.relationshipMappings = plain.relationshipMappings
    mapping.entityMappings[index] = images
    return mapping
  }

  private static func fetch(_ entity: String, where predicate: String) -> String {
    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"\(entity)\", \"\(predicate)\"), "
      + "$manager.sourceContext, NO)"
  }
}
