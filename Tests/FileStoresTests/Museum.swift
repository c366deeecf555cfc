import Foundation
import ObjectModel

/// The model of these tests: every kind of attribute, inheritance, and every kind of relationship.
enum Museum {
  struct MissingEntity: Error {}

  static func entity(_ name: String, of model: ManagedObjectModel) throws -> Entity {
    guard let entity = model[name] else { throw MissingEntity() }
    return entity
  }

  static func model() throws -> ManagedObjectModel {
    var work = EntityDescription("Work")
    work.attributes = [
      AttributeDescription("code", .string), AttributeDescription("title", .string),
      AttributeDescription("small", .integer16), AttributeDescription("medium", .integer32),
      AttributeDescription("large", .integer64), AttributeDescription("ratio", .double),
      AttributeDescription("weight", .float), AttributeDescription("price", .decimal),
      AttributeDescription("isShown", .boolean), AttributeDescription("made", .date),
      AttributeDescription("image", .binary), AttributeDescription("token", .uuid),
      AttributeDescription("link", .uri), AttributeDescription("extra", .transformable),
    ]
    var note = AttributeDescription("note", .string)
    note.isTransient = true
    work.attributes.append(note)
    work.uniquenessConstraints = [["code"]]
    work.relationships = [
      RelationshipDescription("artist", toOne: "Artist", inverse: "works"),
      RelationshipDescription("room", toOne: "Room", inverse: "works"),
      RelationshipDescription("tags", toMany: "Tag", inverse: "works"),
    ]
    var painting = EntityDescription("Painting")
    painting.superentityName = "Work"
    painting.attributes = [AttributeDescription("technique", .string)]
    var artist = EntityDescription("Artist")
    artist.attributes = [AttributeDescription("code", .string)]
    artist.uniquenessConstraints = [["code"]]
    artist.relationships = [
      RelationshipDescription("works", toMany: "Work", inverse: "artist", ordered: true),
      RelationshipDescription("friends", toMany: "Artist", inverse: "friends"),
      RelationshipDescription("favourite", toOne: "Work"),
      RelationshipDescription("studio", toOne: "Room", inverse: "tenant"),
    ]
    var tag = EntityDescription("Tag")
    tag.attributes = [AttributeDescription("code", .string)]
    tag.uniquenessConstraints = [["code"]]
    tag.relationships = [RelationshipDescription("works", toMany: "Work", inverse: "tags", ordered: true)]
    var room = EntityDescription("Room")
    room.attributes = [AttributeDescription("code", .string)]
    room.uniquenessConstraints = [["code"]]
    room.relationships = [
      RelationshipDescription("works", toMany: "Work", inverse: "room"),
      RelationshipDescription("signs", toMany: "Tag"),
      RelationshipDescription("tenant", toOne: "Artist", inverse: "studio"),
    ]
    return try ManagedObjectModel(entities: [work, painting, artist, tag, room])
  }
}
