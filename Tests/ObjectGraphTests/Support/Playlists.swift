import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport

/// One playlist with two ordered relationships: songs, which other lists may have too, and picks, which only it has.
struct Playlists: TestGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let list: Entity
  let song: Entity

  /// - Parameter names: the songs that are there already, in the relationship.
  init(_ kind: StoreKind, _ relationship: String, _ names: [String]) throws {
    var list = EntityDefinition("Playlist")
    list.attributes = [AttributeDefinition("name", .string)]
    list.relationships = [
      RelationshipDefinition("songs", toMany: "Song", inverse: "lists", ordered: true),
      RelationshipDefinition("picks", toMany: "Song", inverse: "owner", ordered: true),
    ]
    var song = EntityDefinition("Song")
    song.attributes = [AttributeDefinition("name", .string)]
    song.relationships = [
      RelationshipDefinition("lists", toMany: "Playlist", inverse: "songs"),
      RelationshipDefinition("owner", toOne: "Playlist", inverse: "picks"),
    ]
    let model = try ManagedObjectModel(entities: [list, song])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "lists", model: model, store: try kind.makeStore(model, in: folder))
    self.list = try model.required("Playlist")
    self.song = try model.required("Song")
    let context = container.newBackgroundContext(name: "first")
    try context.performAndWait {
      context.insert(self.list)["name"] = .string("p")
      try setNames(names, relationship, context)
      try context.save()
    }
  }

  struct NoList: Error {}

  func playlist(_ context: ManagedObjectContext) throws -> ManagedObject {
    guard let list = try context.fetch(FetchSpecification(list)).first else { throw NoList() }
    return list
  }

  func names(_ relationship: String, _ context: ManagedObjectContext) throws -> [String] {
    try playlist(context).objects(for: relationship).map { $0["name"].text }
  }

  /// Makes these the members, in this order; songs that are not there yet are made.
  func setNames(_ names: [String], _ relationship: String, _ context: ManagedObjectContext) throws {
    let songs = try context.fetch(FetchSpecification(song))
    let byName = Dictionary(songs.map { ($0["name"].text, $0) }, uniquingKeysWith: { first, _ in first })
    let members = names.map { name in
      if let song = byName[name] { return song }
      let song = context.insert(song)
      song["name"] = .string(name)
      return song
    }
    try playlist(context).setObjects(members, for: relationship)
  }

  /// The members that a new context finds.
  func stored(_ relationship: String) throws -> [String] {
    let context = container.newBackgroundContext(name: "stored")
    return try context.performAndWait { try names(relationship, context) }
  }
}
