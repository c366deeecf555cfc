import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@Suite("References that the look-ups of mapping models do not find")
struct PartialReferencesTests {
  /// A journal whose tags are mapped by two entity mappings: three entries have the one, and two the other.
  private func journal(_ tags: String, ofOthers entries: String? = nil) throws -> Journal {
    var journal = try Journal()
    journal.set("tags", tags)
    var first = journal.mapping.entityMappings.removeLast()
    first.name = "SeaToTag"
    first.sourceExpression = Journal.fetch("Tag", where: "word == 'sea'")
    var second = first
    second.name = "RestToTag"
    second.sourceExpression = Journal.fetch("Tag", where: "word != 'sea'")
    if let entries { second.relationshipMappings = [PropertyMapping("notes", entries)] }
    journal.mapping.entityMappings += [first, second]
    return journal
  }

  private func losses(_ journal: Journal) throws -> [String] {
    let library = ModelLibrary(
      versions: [.init(name: "1", model: journal.older), .init(name: "2", model: journal.newer)],
      mappings: [.init(name: "bridge", mappingModel: journal.mapping)])
    let chain = try ProgressiveMigration(library: library).chain(
      forStoreAt: journal.source, type: .sqlite, to: journal.newer)
    return chain.steps.flatMap(\.losses).filter { $0.contains(".tags") || $0.contains(".entries") }
  }

  /// How many tags the notes have.
  private func links(_ journal: Journal) throws -> Int {
    try journal.migrate()
    return try Stores.open(journal.result, journal.newer) { context in
      try context.all("Note").reduce(0) { try $0 + $1.objectIDs(for: "tags").count }
    }
  }

  @Test("references to what an entity mapping makes that the expression does not name are counted")
  func unnamed() throws {
    let journal = try journal(Journal.lookUp("SeaToTag", "$source.tags"))
    #expect(
      try losses(journal) == [
        "Entry.tags: 2 references go, as their objects are not found in the entity mapping that the expressions name "
          + "(SeaToTag)"
      ])
    #expect(try links(journal) == 3)
  }

  @Test("only references between mapped objects are counted")
  func filtered() throws {
    var journal = try journal(Journal.lookUp("SeaToTag", "$source.tags"))
    journal.editEntry { $0.sourceExpression = Journal.fetch("Entry", where: "minutes > 1") }
    let found = try losses(journal)
    #expect(found.count == 1 && found[0].hasPrefix("Entry.tags: 1 reference goes, "), "\(found)")
  }

  private static let whole: [(tags: String, entries: String?)] = [
    (Journal.lookUp("SeaToTag", "$source.tags") + " UNION " + Journal.lookUp("RestToTag", "$source.tags"), nil),
    (
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"tags\", $source.tags)",
      nil
    ),
    (Journal.lookUp("SeaToTag", "$source.tags"), Journal.lookUp("EntryToNote", "$source.entries")),
  ]

  @Test("several look-ups, a look-up by the relationship, and the other side bring all along", arguments: whole.indices)
  func complete(index: Int) throws {
    let journal = try journal(Self.whole[index].tags, ofOthers: Self.whole[index].entries)
    #expect(try losses(journal) == [])
    #expect(try links(journal) == 5)
  }

  @Test("an expression that chooses among what it reads loses nothing unsaid")
  func choice() throws {
    let all = Journal.lookUp("SeaToTag", "$source.tags")
    let journal = try journal("SUBQUERY(\(all), $t, $t.word == 'sea')")
    #expect(try losses(journal) == [])
  }

  @Test("objects of a sub-entity are not found by the mapping of another")
  func subentity() throws {
    var owner = EntityDefinition("Owner")
    owner.relationships = [RelationshipDefinition("things", toMany: "Thing", inverse: "owner")]
    var thing = EntityDefinition("Thing")
    thing.isAbstract = true
    thing.relationships = [RelationshipDefinition("owner", toOne: "Owner", inverse: "things")]
    let kinds = ["Cup", "Pot"].map { name in
      var kind = EntityDefinition(name)
      kind.superentityName = "Thing"
      return kind
    }
    let older = try ManagedObjectModel(entities: [owner, thing] + kinds)
    owner.attributes = [AttributeDefinition("name", .string)]
    let newer = try ManagedObjectModel(entities: [owner, thing] + kinds)
    let folder = try TemporaryFolder()
    try Stores.write(folder.file("store.sqlite"), older) { context in
      let one = try context.insert("Owner", [:])
      for name in ["Cup", "Pot", "Pot"] { try context.insert(name, ["owner": one]) }
    }
    let mappings = ["Owner", "Cup", "Pot"].map { name in
      var mapping = EntityMapping("\(name)To\(name)", .transform, from: name, to: name)
      mapping.sourceExpression = Journal.fetch(name)
      if name == "Owner" {
        mapping.relationshipMappings = [PropertyMapping("things", Journal.lookUp("CupToCup", "$source.things"))]
      }
      return mapping
    }
    let library = ModelLibrary(
      versions: [.init(name: "1", model: older), .init(name: "2", model: newer)],
      mappings: [.init(name: "bridge", mappingModel: MappingModel(entityMappings: mappings))])
    var migration = ProgressiveMigration(library: library)
    migration.takesMappingsAsTheyAre = true
    let chain = try migration.chain(forStoreAt: folder.file("store.sqlite"), type: .sqlite, to: newer)
    let losses = chain.steps.flatMap(\.losses)
    #expect(losses.count == 1 && losses[0].hasPrefix("Owner.things: 2 references go, "), "\(losses)")
  }
}
