import Foundation
import ModelFiles
import ObjectModel

/// The model whose accessors stand in the folder `Generated`: every attribute type and kind of relationship, and names
/// that Swift or the object graph want for themselves.
enum Gallery {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      work(), painting(), artist(), room(), shadow(), house(), sharedClass("Left"), sharedClass("Right"), visitor(),
      city(),
    ])
  }

  static func files() throws -> [AccessorGenerator.File] {
    AccessorGenerator(model: try model(), modelName: "Gallery 2").files()
  }

  /// Abstract, with one attribute of each type, optional.
  private static func work() -> EntityDefinition {
    var work = EntityDefinition("Work")
    work.managedObjectClassName = ".Work"
    work.isAbstract = true
    work.attributes = AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }
      .map { AttributeDefinition("\($0)Value", $0) }
    var scratch = AttributeDefinition("scratch", .undefined)
    scratch.isTransient = true
    var place = AttributeDefinition("place", .composite)
    place.composite = AttributeDefinition.CompositeReference(
      name: "Place", elements: [AttributeDefinition("x", .double)])
    let tags = ["NSArray", "NSDictionary", "NSSet", "NSString", "Array<String>"].enumerated().map { index, name in
      var tags = AttributeDefinition("tags\(index)", .transformable)
      tags.attributeValueClassName = name
      return tags
    }
    work.attributes += [scratch, place] + tags
    work.relationships = [
      RelationshipDefinition("artist", toOne: "Artist", inverse: "works"),
      RelationshipDefinition("rooms", toMany: "Room", inverse: "works"),
    ]
    return work
  }

  /// Required and scalar attributes.
  private static func painting() -> EntityDefinition {
    var painting = EntityDefinition("Painting")
    painting.managedObjectClassName = "Gallery.Painting"
    painting.superentityName = "Work"
    for type: AttributeType in [.integer16, .boolean, .float, .decimal, .string, .date, .binary, .uuid, .uri] {
      var required = AttributeDefinition("\(type)Required", type)
      required.isOptional = false
      painting.attributes.append(required)
    }
    for type: AttributeType in [.integer32, .integer64, .boolean, .double, .float, .date] {
      var scalar = AttributeDefinition("\(type)Scalar", type)
      scalar.usesScalarValueType = true
      painting.attributes.append(scalar)
    }
    var count = AttributeDefinition("roomCount", .integer64)
    count.derivation = AttributeDefinition.Derivation(expression: "count:(rooms)")
    painting.attributes.append(count)
    return painting
  }

  private static func artist() -> EntityDefinition {
    var artist = EntityDefinition("Artist")
    var name = AttributeDefinition("name", .string)
    name.isOptional = false
    artist.attributes = [name]
    var works = RelationshipDefinition("works", toMany: "Work", inverse: "artist", ordered: true)
    works.isOptional = false
    artist.relationships = [works, RelationshipDefinition("self", toOne: "Artist")]
    var namesake = FetchedPropertyDefinition(
      "namesakes",
      fetchRequest: FetchRequestTemplate(
        "namesakes", entityName: "Artist",
        predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE AND name != $FETCHED_PROPERTY.userInfo.nobody")
    )
    namesake.userInfo = ["nobody": "Nobody"]
    artist.fetchedProperties = [namesake]
    return artist
  }

  /// An entity with a property of its own name.
  private static func city() -> EntityDefinition {
    var city = EntityDefinition("City")
    city.attributes = [AttributeDefinition("City", .string)]
    city.relationships = [RelationshipDefinition("CityClass", toOne: "City", inverse: "CityClass")]
    return city
  }

  /// An entity whose class is the program's alone: `Visitors.swift` has it.
  private static func visitor() -> EntityDefinition {
    var visitor = EntityDefinition("Visitor")
    visitor.codeGenerationType = "category"
    visitor.attributes = [AttributeDefinition("name", .string)]
    return visitor
  }

  private static func room() -> EntityDefinition {
    var room = EntityDefinition("Room")
    room.attributes = [
      "class", "default", "entity", "entityProperty", "isDeleted", "Type", "object", "objects", "add", "remove",
      "value",
      "insert", "context", "hash", "members",
    ].map { AttributeDefinition($0, .string) }
    room.relationships = [
      RelationshipDefinition("works", toMany: "Work", inverse: "rooms"),
      RelationshipDefinition("neighbours", toMany: "Room", inverse: "neighbours"),
      RelationshipDefinition("Neighbours", toMany: "Room", inverse: "Neighbours"),
    ]
    return room
  }

  /// An entity that is called like a type that its accessors use.
  private static func shadow() -> EntityDefinition {
    var shadow = EntityDefinition("Data")
    shadow.managedObjectClassName = "../../Evil { }"
    shadow.attributes = [
      AttributeDefinition("String", .string), AttributeDefinition("Date", .date),
      AttributeDefinition("bytes", .binary),
    ]
    return shadow
  }

  /// Composite attributes: nested ones, and composite types that are called like others, like what accessors use, like
  /// nothing that Swift could take, and like their own attribute.
  private static func house() -> EntityDefinition {
    func composite(
      _ name: String, _ type: String, isOptional: Bool = true, _ elements: [AttributeDefinition]
    ) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, .composite)
      attribute.isOptional = isOptional
      attribute.composite = AttributeDefinition.CompositeReference(name: type, elements: elements)
      return attribute
    }
    var number = AttributeDefinition("number", .integer16)
    number.usesScalarValueType = true
    var amount = AttributeDefinition("amount", .decimal)
    amount.isOptional = false
    var cache = AttributeDefinition("cache", .undefined)
    cache.isTransient = true
    let spot = composite("spot", "Spot", [.init("x", .double), .init("seen", .date), .init("tag", .uuid)])
    let words = ["self", "init", "Type", "compositeValue", "class", "value", "name", "hash", "Value", "Hashable"]
    var house = EntityDefinition("House")
    house.attributes = [
      composite("address", "Address", [.init("street", .string), number, spot, cache]),
      composite("oldAddress", "Address", [.init("street", .string)]),
      spot,
      composite("price", "Price", isOptional: false, [amount, .init("currency", .string)]),
      composite("words", "Room", words.map { AttributeDefinition($0, .string) }),
      composite("evil", "Evil { }", []),
      composite("Same", "Same", [.init("open", .boolean), .init("photo", .binary), .init("page", .uri)]),
      composite("keyword", "default", [.init("size", .float)]),
    ]
    return house
  }

  private static func sharedClass(_ name: String) -> EntityDefinition {
    var entity = EntityDefinition(name)
    entity.managedObjectClassName = "Shared"
    return entity
  }
}
