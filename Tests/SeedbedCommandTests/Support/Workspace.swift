import Foundation
import SQLite
import SeedFormats
import TestQueries
import TestSupport
import Testing

/// A folder of one test with pipelines, seeds and stores in it, removed with its object.
final class Workspace: Sendable {
  private let files: TemporaryFolder
  var folder: URL { files.url }

  init() throws { files = try TemporaryFolder() }

  /// A workspace with the pipelines and seeds that the project ships.
  static func shipped() throws -> Workspace {
    let workspace = try Workspace()
    for name in ["pipelines", "seeds"] {
      try FileManager.default.copyItem(
        at: Tool.packageRoot.appendingPathComponent(name), to: workspace.folder.appendingPathComponent(name))
    }
    return workspace
  }

  /// A workspace with the test model, `Shop.xcdatamodeld`.
  static func withModel() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("Shop.xcdatamodeld/Shop.xcdatamodel/contents", ShopModel.xml)
    return workspace
  }

  /// A workspace with the test model and a store of one item, which `items.yaml` made.
  static func withItems(_ csv: String = "id,name\na,A\n") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", csv)
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    return workspace
  }

  // MARK: - Files

  func url(_ name: String) -> URL { files.file(name) }
  func path(_ name: String) -> String { files.path(name) }
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }
  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
  func write(_ name: String, _ text: String) throws { try files.write(text, to: name) }
  func write(_ name: String, _ bytes: [UInt8]) throws { try files.write(Data(bytes), to: name) }

  /// Writes a model with some entities, as XML.
  func writeModel(_ entities: String, to model: String = "M.xcdatamodel") throws {
    try write(
      "\(model)/contents",
      "<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(entities)</model>"
    )
  }

  /// Says which version of a model is the current one.
  func writeCurrentVersion(_ version: String, of model: String) throws {
    try write(
      "\(model).xcdatamodeld/.xccurrentversion",
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string></dict></plist>"
    )
  }

  /// Copies a fixture store with its sidecars, and returns the copy's name.
  func copyStore(_ relative: String) throws -> String {
    try FixtureFolder.copyStore(relative, to: folder).lastPathComponent
  }

  /// Writes a compressed file.
  func gzip(_ name: String, _ text: String) throws {
    let sink = try FileSink.open(path: path(name))
    let bytes = Array(text.utf8)
    try unsafe bytes.withUnsafeBytes { try unsafe sink.write($0) }
    try sink.finish()
  }

  /// The text of a file that may be compressed.
  func inflated(_ name: String) throws -> String {
    let source = try SeedFile.open(path: path(name), options: .ndjson)
    let block = ByteBlock()
    var bytes: [UInt8] = []
    while try block.fill(from: source) { unsafe bytes.append(contentsOf: block.bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Names in the workspace's folder or one below it, hidden ones too, sorted.
  func names(in subfolder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(subfolder)).sorted()
  }

  // MARK: - The tool and its results

  func run(
    _ arguments: String..., input: [UInt8]? = nil, environment: [String: String] = [:],
    whileRunning: ((ChildProcess) async throws -> Void)? = nil
  ) async throws -> Tool.Outcome {
    try await Tool.run(arguments, in: folder, environment: environment, input: input, whileRunning: whileRunning)
  }

  /// A run that has to go well.
  @discardableResult
  func succeed(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Outcome {
    let outcome = try await Tool.run(arguments, in: folder)
    try #require(outcome.exitCode == 0, "\(arguments) \(outcome.talk)", sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs a pipeline and reads its JSON report.
  func report(_ pipeline: String, _ more: String...) async throws -> Report {
    let outcome = try await Tool.run(["run", pipeline, "--json"] + more, in: folder)
    guard outcome.exitCode <= 1 else { throw UnexpectedFailure(outcome: outcome) }
    var report = try JSONDecoder().decode(Report.self, from: Data(outcome.output))
    report.exitCode = outcome.exitCode
    return report
  }

  /// Takes the model away that a store carries, as if a framework of before 2015 had made it.
  func removeCachedModel(of store: String) throws { try execute(store, "DELETE FROM Z_MODELCACHE") }

  /// Does what SQL says in a store.
  func execute(_ store: String, _ sql: String, createsFile: Bool = false) throws {
    let connection = try Connection(path: path(store), options: .init(createsFile: createsFile))
    try connection.execute(sql)
    try connection.close()
  }

  /// The rows of a query, each as its columns' texts joined by `|`; null is `∅`.
  func query(_ store: String, _ sql: String) throws -> [String] { try Connection.rows(at: path(store), sql) }
}

/// A run that was expected to go well and did not.
struct UnexpectedFailure: Error {
  var outcome: Tool.Outcome
}
