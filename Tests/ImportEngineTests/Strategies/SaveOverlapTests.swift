import CoreDataLayout
import Foundation
import ModelFiles
import SQLite
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// Find-or-create makes the objects of a batch while those of the batch before are being saved.
@Suite("Saves that overlap")
struct SaveOverlapTests {
  private static let cities = """
      - from: cities.ndjson
        entity: City
        match: [name]
        strategy: @
        map: { code: code, name: name, population: population }
    """

  /// Cities that are matched by name, while the model wants their codes to be unique: some records cannot be saved.
  private func lines(_ count: Int, seed: UInt64, codes: Int) -> [String] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { city in
      let code = Int.random(in: 0..<codes, using: &random)
      let population = Int.random(in: 0..<1000, using: &random)
      return "{\"code\": \"c\(code)\", \"name\": \"n\(city)\", \"population\": \(population)}"
    }
  }

  @Test("refused records cost nothing else, however the batches lie", arguments: 1...6 as ClosedRange<UInt64>)
  func refused(seed: UInt64) throws {
    let town = try Town()
    // Few, some, or nearly all are refused.
    let codes = [600, 120, 10][Int(seed) % 3]
    try town.write("cities.ndjson", lines(120, seed: seed, codes: codes))
    let whole = try town.run(Self.cities, strategy: "find-or-create")
    #expect(whole.strategies == ["find-or-create"])
    #expect(whole.rejects.contains { $0.contains("constraint.conflict") })
    for records in [1, 4, 7, 50] {
      for jobs in [1, 3] {
        let result = try town.run(Self.cities, strategy: "find-or-create", jobs: jobs, recordsPerBatch: records)
        #expect(result == whole, "\(records) records a batch, \(jobs) workers")
      }
    }
    // Over a store that has half of them.
    try town.write("cities.ndjson", lines(60, seed: seed, codes: codes))
    try town.run(Self.cities, strategy: "find-or-create")
    let half = try town.storeBytes()
    try town.write("cities.ndjson", lines(140, seed: seed, codes: codes))
    let again = try town.run(Self.cities, strategy: "find-or-create", isNew: false)
    for records in [1, 5, 33] {
      try half.write(to: town.folder.file("Town.sqlite"))
      let result = try town.run(
        Self.cities, strategy: "find-or-create", isNew: false, jobs: 2, recordsPerBatch: records)
      #expect(result == again, "\(records) records a batch")
    }
  }

  @Test("a limit that is reached while a batch is being saved leaves the store as it was", arguments: [0, 1, 5])
  func limit(limit: Int) throws {
    let town = try Town()
    try town.write("cities.ndjson", lines(50, seed: 3, codes: 5000))
    try town.run(Self.cities, strategy: "find-or-create")
    let before = try town.storeBytes()
    try town.write("cities.ndjson", lines(90, seed: 4, codes: 30))
    try town.folder.write(
      """
      model: Town.xcdatamodel
      store: { path: Town.sqlite, replace: never }
      import:
      \(Self.cities.replacing("@", with: "find-or-create"))
      rejects: { file: rejects.ndjson, limit: \(limit) }
      """, to: "limited.yaml")
    let pipeline = try PipelineReader.read(path: town.folder.path("limited.yaml"), environment: [:])
    var options = PipelineRun.Options.ofTests
    options.recordsPerBatch = 4
    #expect(throws: RunError.self) { try PipelineRun(pipeline, options: options).run() }
    #expect(try town.storeBytes() == before)
    #expect(try !town.folder.names().contains { $0.hasSuffix(".partial") })
  }

  @Test("a batch with refused records is one transaction of the history", arguments: [100, 10])
  func history(recordsPerBatch: Int) throws {
    let town = try Town()
    let model = try ModelReader.read(path: town.folder.path("Town.xcdatamodel"))
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    try SQLiteStore.create(path: town.folder.path("Town.sqlite"), model: model, options: options).close()
    try town.write(
      "cities.ndjson",
      (0..<100).map { "{\"code\": \"c\($0 % 10 == 9 ? $0 - 1 : $0)\", \"name\": \"n\($0)\", \"population\": 1}" })
    let result = try town.run(
      Self.cities, strategy: "find-or-create", isNew: false, recordsPerBatch: recordsPerBatch)
    #expect(result.counts[0].contains("90 inserted") && result.counts[0].contains("10 rejected"))
    let connection = try Connection(path: town.folder.path("Town.sqlite"), options: .init(isReadOnly: true))
    #expect(try connection.integer("SELECT count(*) FROM ATRANSACTION") == Int64(100 / recordsPerBatch))
    #expect(try connection.integer("SELECT count(*) FROM ACHANGE") == 90)
  }

  @Test("what was wrong first ends the run, however the batches lie", arguments: [4, 1000])
  func truncated(recordsPerBatch: Int) throws {
    let town = try Town()
    let cities = (0..<10).map { "{\"code\": \"c\($0 == 7 ? 6 : $0)\", \"name\": \"n\($0)\", \"population\": 1}" }
    // The array does not end.
    try town.folder.write("[" + cities.joined(separator: ",\n"), to: "cities.json")
    try town.folder.write(
      """
      model: Town.xcdatamodel
      store: { path: Town.sqlite }
      import:
      \(Self.cities.replacing("@", with: "find-or-create").replacing("cities.ndjson", with: "cities.json"))
          duplicates: first
      rejects: { file: rejects.ndjson, limit: 0 }
      """, to: "limited.yaml")
    let pipeline = try PipelineReader.read(path: town.folder.path("limited.yaml"), environment: [:])
    var options = PipelineRun.Options.ofTests
    options.recordsPerBatch = recordsPerBatch
    #expect {
      try PipelineRun(pipeline, options: options).run()
    } throws: {
      "\($0)".contains("over the limit")
    }
  }

  /// What a step maps, and whether its batches may overlap.
  static let steps: [(entity: String, settings: String, isOverlapping: Bool)] = [
    ("City", "match: [code]\nmap: { code: code }", true),
    ("City", "map: { code: code }", true),
    ("City", "match: [code, population]\nmap: { code: code, population: p }", true),
    // Dates that are equal may be written differently.
    ("City", "match: [founded]\nmap: { code: code, founded: f }", false),
    // Cities that refer to cities.
    ("City", "match: [code]\nmap: { code: code, twin: { match: code, from: twin } }", false),
    // Members of a city.
    ("Shop", "match: [city, number]\nmap: { number: n, title: t, city: { match: code, from: c } }", true),
    // Two record keys may lead to one city.
    ("Shop", "match: [city, number]\nmap: { number: n, title: t, city: { key: c } }", false),
    ("Shop", "match: [title]\nmap: { number: n, title: t, city: { key: c } }", true),
    ("Shop", "map: { number: n, title: t, price: p, owner: { match: identifier, from: o } }", true),
    // The inverse is to-one: a person who gets a badge takes it from another.
    ("Manager", "match: [identifier]\nmap: { identifier: i, badge: { match: number, from: b } }", false),
    ("Person", "match: [identifier]\nmap: { identifier: i, tags: { match: name, from: t, separator: \";\" } }", false),
    // Nested objects.
    ("City", "match: [code]\nmap: { code: code, shops: { from: s, map: { number: n, title: t } } }", false),
  ]

  @Test("batches overlap only where they have nothing to do with each other", arguments: steps.indices)
  func overlapping(index: Int) throws {
    let (entity, settings, isOverlapping) = Self.steps[index]
    let town = try Town()
    try town.folder.write("{}\n", to: "data.ndjson")
    let yaml = """
      model: Town.xcdatamodel
      store: { path: Town.sqlite }
      import:
        - from: data.ndjson
          entity: \(entity)
          \(settings.replacing("\n", with: "\n    "))
      """
    let pipeline = try PipelineReader.read(text: yaml, path: town.folder.path("p.yaml"), environment: [:])
    let model = try ModelReader.read(path: town.folder.path("Town.xcdatamodel"))
    let plan = try StepPlanner.plan(
      pipeline.imports[0], model: model, pipelinePath: "p.yaml",
      files: [SourceFile(path: town.folder.path("data.ndjson"), name: "data.ndjson")],
      resources: RecordExpressionResources())
    #expect(plan.savesMayOverlap == isOverlapping)
  }
}
