import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import SQLite
import TestSupport
import Testing

@testable import Dumps
@testable import ImportEngine
@testable import Pipelines
@testable import Reports
@testable import StoreModels

/// Dumps, restores and compares.
struct DumpRun {
  let workspace: TemporaryFolder

  init() throws {
    workspace = try TemporaryFolder()
  }

  @discardableResult
  func dump(_ store: String, to name: String, model: String? = nil, gzip: Bool = false) throws -> StoreDump.Report {
    try StoreDump(
      storePath: workspace.path(store), modelPath: model, modelVersion: nil, folder: workspace.path(name),
      compresses: gzip
    ).run()
  }

  /// Runs the pipeline of a dump, and gives the path of the store.
  @discardableResult
  func restore(_ name: String, recordsPerBatch: Int = 8192) throws -> (store: String, report: RunReport) {
    let pipeline = try PipelineReader.read(path: workspace.path(name + "/restore.yaml"), environment: [:])
    let model = try ModelReader.readFile(path: pipeline.modelPath, version: pipeline.modelVersion).model
    #expect(PipelineLinter.lint(pipeline, model: model).map(\.description) == [])
    var options = PipelineRun.Options()
    options.recordsPerBatch = recordsPerBatch
    return (pipeline.store.path, try PipelineRun(pipeline, options: options).run())
  }

  /// The files of a dump by name.
  func files(_ name: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: workspace.path(name)) {
      files[path] = try? Data(contentsOf: URL(fileURLWithPath: workspace.path(name + "/" + path)))
    }
    return files
  }

  func text(_ name: String) throws -> String { String(decoding: try workspace.bytes(name), as: UTF8.self) }
}

@Suite("Dump and restore")
struct DumpTests {
  @Test(
    "every row of a store that Apple's framework made comes back, relationship for relationship",
    .enabled(if: FixtureFolder.isAvailable, Comment(rawValue: FixtureFolder.absenceReason)),
    arguments: [
      ("bookmarks/Bookmarks_V1", nil), ("bookmarks/Bookmarks_V2", nil), ("bookmarks/Bookmarks_V3", nil),
      ("cartkit/CartStorage_v1", nil), ("coredataplus/SampleModel2_V1", nil), ("coredataplus/SampleModel_V1", nil),
      ("coredataplus/SampleModel_V2", nil), ("surf-journal/SurfJournalModel", "SurfJournalModel.xcdatamodeld"),
      ("xcserver/XCServerCoreData_1.2.0", nil), ("xcserver/XCServerCoreData_2.0.0_empty", nil),
    ] as [(String, String?)])
  func fixture(store: (path: String, model: String?)) throws {
    let run = try DumpRun()
    let gzip = store.path.contains("V1")
    let (folder, name) = (store.path.split(separator: "/")[0], store.path.split(separator: "/")[1] + ".sqlite")
    try FixtureFolder.copyStore("stores/\(folder)/\(name)", to: run.workspace.url)
    let before = try run.workspace.bytes(String(name))
    let modelPath = store.model.map { FixtureFolder.path("models/\(folder)/\($0)") }
    try run.dump(String(name), to: "dump", model: modelPath, gzip: gzip)
    #expect(try run.workspace.bytes(String(name)) == before)
    try run.dump(String(name), to: "again", model: modelPath, gzip: gzip)
    #expect(try run.files("dump") == run.files("again"))

    // The dump stands by itself: it may be moved.
    try FileManager.default.moveItem(atPath: run.workspace.path("dump"), toPath: run.workspace.path("moved"))
    let restored = try run.restore("moved", recordsPerBatch: gzip ? 7 : 8192)
    let model = try StoreModel.read(storePath: run.workspace.path(String(name)), modelPath: modelPath).model
    let original = try StoreGraph(run.workspace.path(String(name)), model)
    let copy = try StoreGraph(restored.store, model)
    #expect(copy.differences(from: original) == [])
    #expect(copy == original)
    #expect(original.objects.count == restored.report.steps.reduce(0) { $0 + $1.counts.inserted })

    // Once restored, primary keys are what a restore gives, so another round changes nothing at all.
    let path = "moved/" + URL(fileURLWithPath: restored.store).lastPathComponent
    let second =
      run.workspace.path("moved") + "/"
      + (try #require(
        try FileManager.default.contentsOfDirectory(
          atPath: run.workspace.path("moved")
        ).first { $0.contains(".momd") || $0.contains(".xcdatamodel") }))
    try run.dump(path, to: "second", model: second, gzip: gzip)
    try run.restore("second")
    try run.dump(
      "second/" + URL(fileURLWithPath: restored.store).lastPathComponent, to: "third", model: second, gzip: gzip)
    let (left, right) = (try run.files("second"), try run.files("third"))
    for (file, bytes) in right { #expect(left[file] == bytes, "\(file)") }
  }

  @Test("a derived attribute that the store cannot compute comes back with its value")
  func derivedValue() throws {
    let run = try DumpRun()
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("count", .integer64), AttributeDefinition("name", .string)]
    item.attributes[0].derivation = .init(expression: "median:(others.rank)")
    item.relationships = [RelationshipDefinition("others", toMany: "Item")]
    let model = try ManagedObjectModel(entities: [item])
    let path = run.workspace.path("Store.sqlite")
    let store = try SQLiteStore.create(path: path, model: model)
    try #require(store.layout.derivedAttributes.map { $0.obstacle == nil } == [false])
    try store.close()
    let connection = try Connection(path: path)
    try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZNAME) VALUES (1, 1, 1, 7, 'a')")
    try connection.close()
    try run.dump("Store.sqlite", to: "dump")
    let restored = try run.restore("dump").store
    #expect(try StoreGraph(restored, model).differences(from: StoreGraph(path, model)) == [])
  }

  @Test("random models with random rows come back", arguments: 1...40 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let run = try DumpRun()
    let xml = RandomModelFile(seed: seed).xml
    try run.workspace.write(xml, to: "M.xcdatamodel/contents")
    let path = run.workspace.path("M.xcdatamodel")
    let model = try ModelReader.readFile(path: path).model
    try RandomStore(run.workspace.path("Store.sqlite"), model, seed: seed)
    try run.dump("Store.sqlite", to: "dump", model: path)
    let restored = try run.restore("dump", recordsPerBatch: seed % 2 == 0 ? 5 : 8192)
    // Tables that are empty are restored as pages.
    let reason = restored.report.steps.first?.reason
    #expect(reason?.hasSuffix("; written as finished pages") ?? true, "\(reason ?? "")")
    let original = try StoreGraph(run.workspace.path("Store.sqlite"), model)
    let copy = try StoreGraph(restored.store, model)
    #expect(copy.differences(from: original) == [], "\(xml)")
    #expect(copy == original)
  }
}
