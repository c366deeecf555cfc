import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

@testable import ImportEngine

@Suite("Imports into memory")
struct MemoryImportTests {
  /// Steps of every strategy: tables that are empty, that have rows, references that come later or lead nowhere, join
  /// rows, and relationships whose other side changes too.
  private static let steps = """
      - { from: tags.ndjson, entity: Tag, map: { name: name } }
      - from: managers.ndjson
        entity: Manager
        match: [identifier]
        map: { identifier: id, name: name, bonus: bonus, tags: { match: name, from: tags } }
      - from: shops.ndjson
        entity: Shop
        match: [city, number]
        map:
          number: number
          title: title
          open: open
          price: price
          uid: uid
          city: { match: code, from: city }
          owner: { match: identifier, from: owner }
      - from: cities.ndjson
        entity: City
        match: [code]
        map: { code: code, name: name, population: population, founded: founded, twin: { match: code, from: twin } }
      - { from: badges.ndjson, entity: Badge, map: { number: number } }
      - from: people.ndjson
        entity: Person
        match: [identifier]
        map: { identifier: id, name: name, badge: { match: number, from: badge } }
      - from: news.ndjson
        entity: City
        match: [code]
        map: { code: code, name: name, population: population }
    """

  private func fill(_ town: Town, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    try town.write("tags.ndjson", (0..<5).map { #"{"name": "t\#($0)"}"# })
    try town.write(
      "managers.ndjson",
      (0..<20).map {
        #"{"id": "p\#($0)", "name": "M\#($0)", "bonus": 1.5, "tags": ["t\#(number(5))", "t\#(number(5))"]}"#
      })
    try town.write(
      "shops.ndjson",
      (0..<80).map { shop in
        #"{"number": \#(shop / 4), "title": "S", "open": \#(number(2) == 0), "price": \#(number(900)).25, "#
          + #""uid": "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B\#(10 + shop)", "city": "c\#(number(42))", "#
          + #""owner": "p\#(number(21))"}"#
      })
    // The last twin is nowhere, and so is a record that names it.
    try town.write(
      "cities.ndjson",
      (0..<40).map { city in
        #"{"code": "c\#(city)", "name": "C\#(number(9))", "population": \#(number(1000)), "founded": "19\#(10 + city)-02-03"#
          + #"", "twin": "c\#(city == 39 ? 99 : number(40))"}"#
      })
    try town.write("badges.ndjson", (0..<30).map { #"{"number": \#($0)}"# })
    try town.write(
      "people.ndjson", (10..<40).map { #"{"id": "p\#($0)", "name": "N\#(number(3))", "badge": \#($0 - 10)}"# })
    try town.write(
      "news.ndjson", (20..<60).map { #"{"code": "c\#($0)", "name": "C\#(number(9))", "population": \#(number(1000))}"# }
    )
  }

  /// Every object with its values and destinations, and the members of its to-many relationships.
  private func contents(_ store: any PersistentStore) throws -> [String] {
    func name(_ id: ObjectID?) -> String { id.map { "\($0.entity.name) \($0.primaryKey ?? 0)" } ?? "-" }
    var lines: [String] = []
    for entity in store.model.entities {
      var request = FetchSpecification(entity)
      request.includesSubentities = false
      for snapshot in try store.snapshots(request) {
        let relationships = try entity.relationships.enumerated().map { index, relationship in
          if !relationship.isToMany { return name(snapshot.toOne[index]) }
          return try store.members(of: snapshot.objectID, relationship: relationship).map(name).joined(separator: "+")
        }
        lines.append("\(name(snapshot.objectID)): \(snapshot.attributes.map { "\($0)" } + relationships)")
      }
    }
    return lines
  }

  @Test("rows and outcomes are those of a file", arguments: 0..<4 as Range<UInt64>, [7, 8192])
  func same(seed: UInt64, recordsPerBatch: Int) throws {
    let town = try Town()
    try fill(town, seed: seed)
    let file = try town.run(Self.steps, strategy: "", recordsPerBatch: recordsPerBatch)
    let pipeline = try PipelineReader.read(path: town.folder.path("p.yaml"), environment: [:])
    let model = try StoreModel.readFile(of: pipeline, templatePath: nil).model
    let target = MemoryTarget(model: model)
    let (reports, rejected) = try importSteps(of: pipeline, into: target, recordsPerBatch: recordsPerBatch)
    #expect(
      reports.map { step in
        let counts = step.counts
        return "\(step.name): \(counts.inserted) inserted, \(counts.updated) updated, \(counts.unchanged) unchanged, "
          + "\(counts.filtered) filtered, \(counts.duplicate) duplicate, \(counts.rejected) rejected"
      } == file.counts)
    #expect(reports.map(\.strategy.rawValue) == file.strategies)
    if ForcedStrategy.current == nil {
      #expect(Set(file.strategies) == ["bulk", "upsert", "find-or-create"])
    }
    #expect(rejected == file.rejects.count)
    #expect(rejected > 0)
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: town.folder.path("Town.sqlite"), model: model, options: options)
    defer { try? store.close() }
    let expected = try contents(store)
    #expect(expected.count > 100)
    #expect(try contents(target) == expected)
  }

  /// What a run does between making its store and sealing it.
  private func importSteps(
    of pipeline: PipelineFile, into target: MemoryTarget, recordsPerBatch: Int
  ) throws -> (reports: [StepReport], rejected: Int) {
    let folder = try TemporaryFolder()
    var options = PipelineRun.Options.ofTests
    options.jobs = 2
    options.recordsPerBatch = recordsPerBatch
    let run = PipelineRun(pipeline, options: options)
    let spool = SourceSpool(folder: folder.path, limit: nil, cancellation: Cancellation())
    let inputs = try SourceInputs(pipeline.imports, spool: spool, isDryRun: false)
    var settings = pipeline.rejects
    settings.file = nil
    let rejects = RejectCollector(settings: settings, stepCount: pipeline.imports.count)
    var warnings: [String] = []
    var work = RunCounts()
    let reports = try run.importAll(
      run.plans(target.model, inputs, RecordExpressionResources.load(pipeline, files: FileValues(pipeline)).resources),
      inputs, into: target,
      isFresh: true, rejects: rejects, temporaryFolder: folder.path, indexing: StageMeter(.index), warnings: &warnings,
      contexts: &work.contexts)
    return (reports.steps, rejects.count)
  }
}
