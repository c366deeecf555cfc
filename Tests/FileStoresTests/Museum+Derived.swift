import ObjectModel
import TestStores

extension Museum {
  /// The museum with derived attributes of every form: inherited, over every kind of relationship, and over each other.
  static func derivedModel() throws -> ManagedObjectModel {
    var entities = try model().entities.map(\.definition)
    for (index, entity) in entities.enumerated() {
      entities[index].attributes += derived[entity.name] ?? []
      if entity.name == "Work" { entities[index].attributes.append(AttributeDefinition("quarters", .double)) }
    }
    return try ManagedObjectModel(entities: entities)
  }

  /// A derived attribute.
  static func attribute(
    _ name: String, _ type: AttributeType, _ expression: String, where filter: String? = nil
  ) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.derivation = .init(expression: expression, filteringPredicate: filter)
    return attribute
  }

  private static var derived: [String: [AttributeDefinition]] {
    [
      "Work": [
        attribute("canonicalTitle", .string, "canonical:(title)"), attribute("loudTitle", .string, "uppercase:(title)"),
        attribute("quietTitle", .string, "lowercase:(title)"), attribute("titleCopy", .string, "canonicalTitle"),
        attribute("tagCount", .integer16, "tags.@count"), attribute("savedAt", .date, "now()"),
        attribute("artistCode", .string, "artist.code"), attribute("rating", .double, "artist.quarterSum"),
        attribute("favouriteOfArtist", .string, "uppercase:(artist.favourite.title)"),
        attribute("signsInRoom", .integer64, "room.signCount"), attribute("shownNumber", .integer16, "isShown"),
      ],
      "Painting": [attribute("roomKey", .string, "canonical:(room.code)")],
      "Artist": [
        attribute("workCount", .integer64, "works.@count"), attribute("friendCount", .float, "count:(friends)"),
        attribute("favouriteTitle", .string, "favourite.title"),
        attribute("favouriteRoom", .string, "favourite.room.code"),
        attribute("priceSum", .decimal, "works.@sum.medium"), attribute("smallSum", .integer64, "sum:(works.small)"),
        attribute("quarterSum", .double, "works.@sum.quarters"),
        attribute("wholeSum", .integer64, "works.@sum.quarters"),
        attribute("tagTotal", .integer64, "works.@sum.tagCount"),
        attribute("friendWorks", .integer64, "friends.@sum.workCount"),
        attribute("shownCount", .integer32, "works.@count", where: "isShown == YES AND small > -20000"),
        attribute("unknownCount", .integer64, "works.@count", where: "NOT (title == 'plain' OR medium < 0)"),
        attribute("otherCount", .integer64, "count:(works)", where: "title != 'plain' AND quarters < 20.5"),
        attribute("listedSum", .double, "works.@sum.quarters", where: "title IN {'plain', ' ', 'a,b'} OR title == nil"),
        attribute("taggedSum", .double, "sum:(works.quarters)", where: "tagCount >= 1"),
      ],
      "Tag": [
        attribute("workCount", .integer64, "works.@count"), attribute("smallSum", .integer64, "works.@sum.small"),
        attribute("shownCount", .integer64, "works.@count", where: "isShown == YES"),
      ],
      "Room": [
        attribute("signCount", .integer64, "signs.@count"), attribute("workCount", .decimal, "works.@count"),
        attribute("signWorks", .integer64, "signs.@sum.workCount"),
        attribute("mean", .double, "works.@avg.small"),
      ],
    ]
  }
}
