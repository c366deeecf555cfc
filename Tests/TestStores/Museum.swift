package import ObjectModel

/// A model of every kind of attribute, inheritance, and every kind of relationship.
package enum Museum {
  package static func model() throws -> ManagedObjectModel {
    var work = EntityDefinition("Work")
    work.attributes = [
      AttributeDefinition("code", .string), AttributeDefinition("title", .string),
      AttributeDefinition("small", .integer16), AttributeDefinition("medium", .integer32),
      AttributeDefinition("large", .integer64), AttributeDefinition("ratio", .double),
      AttributeDefinition("weight", .float), AttributeDefinition("price", .decimal),
      AttributeDefinition("isShown", .boolean), AttributeDefinition("made", .date),
      AttributeDefinition("image", .binary), AttributeDefinition("token", .uuid),
      AttributeDefinition("link", .uri), AttributeDefinition("extra", .transformable),
    ]
    var note = AttributeDefinition("note", .string)
    note.isTransient = true
    work.attributes.append(note)
    work.uniquenessConstraints = [["code"]]
    work.relationships = [
      RelationshipDefinition("artist", toOne: "Artist", inverse: "works"),
      RelationshipDefinition("room", toOne: "Room", inverse: "works"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "works"),
    ]
    var painting = EntityDefinition("Painting")
    painting.superentityName = "Work"
    painting.attributes = [AttributeDefinition("technique", .string)]
    var artist = EntityDefinition("Artist")
    artist.attributes = [AttributeDefinition("code", .string)]
    artist.uniquenessConstraints = [["code"]]
    artist.relationships = [
      RelationshipDefinition("works", toMany: "Work", inverse: "artist", ordered: true),
      RelationshipDefinition("friends", toMany: "Artist", inverse: "friends"),
      RelationshipDefinition("favourite", toOne: "Work"),
      RelationshipDefinition("studio", toOne: "Room", inverse: "tenant"),
    ]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("code", .string)]
    tag.uniquenessConstraints = [["code"]]
    tag.relationships = [RelationshipDefinition("works", toMany: "Work", inverse: "tags", ordered: true)]
    var room = EntityDefinition("Room")
    room.attributes = [AttributeDefinition("code", .string)]
    room.uniquenessConstraints = [["code"]]
    room.relationships = [
      RelationshipDefinition("works", toMany: "Work", inverse: "room"),
      RelationshipDefinition("signs", toMany: "Tag"),
      RelationshipDefinition("tenant", toOne: "Artist", inverse: "studio"),
    ]
    return try ManagedObjectModel(entities: [work, painting, artist, tag, room])
  }
}
