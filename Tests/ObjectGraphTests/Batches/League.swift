import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport

/// Players in teams: unique names, a required team that cascades, wins with a limit.
struct League: TestGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let player: Entity
  let team: Entity

  init(_ kind: StoreKind) throws {
    var player = EntityDefinition("Player")
    var name = AttributeDefinition("name", .string)
    name.isOptional = false
    var wins = AttributeDefinition("wins", .integer16)
    wins.defaultValue = .integer(0)
    wins.maximumValue = .integer(1_000)
    player.attributes = [name, wins, AttributeDefinition("note", .string), AttributeDefinition("born", .date)]
    player.uniquenessConstraints = [["name"]]
    var ofTeam = RelationshipDefinition("team", toOne: "Team", inverse: "players")
    ofTeam.isOptional = false
    player.relationships = [ofTeam]
    var team = EntityDefinition("Team")
    team.attributes = [AttributeDefinition("title", .string)]
    team.relationships = [RelationshipDefinition("players", toMany: "Player", inverse: "team")]
    let model = try ManagedObjectModel(entities: [player, team])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "league", model: model, store: try kind.makeStore(model, in: folder))
    self.player = try model.required("Player")
    self.team = try model.required("Team")
  }

  /// Two teams, of two players and of one.
  func fill() throws {
    try work { context in
      for (title, names) in [("red", ["Ada", "Ben"]), ("blue", ["Cyd"])] {
        let team = context.insert(team)
        team["title"] = .string(title)
        for name in names {
          let player = context.insert(player)
          player["name"] = .string(name)
          player.setObject(team, for: "team")
        }
      }
      try context.save()
    }
  }

  func players(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entity: player)
    request.sortDescriptors = [FetchSortDescriptor(key: "name")]
    return try context.fetch(request)
  }

  /// `name wins note` of every player as the store has it.
  func rows() throws -> [String] {
    var lines: [String] = []
    try work { context in
      lines = try players(context).map {
        "\($0["name"]?.string ?? "nil") \($0["wins"]?.integer.map { "\($0)" } ?? "nil") \($0["note"]?.string ?? "nil")"
      }
    }
    return lines
  }
}
