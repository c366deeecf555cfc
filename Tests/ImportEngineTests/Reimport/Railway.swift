import Foundation
import SQLite
import TestQueries
import TestSupport

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// A folder with the model of a railway, in which feeds are imported again and again.
final class Railway {
  let folder: TemporaryFolder
  /// How records that say nothing new are found.
  var unchangedScan = UnchangedScanSettings()
  var recordsPerBatch = 8192

  static let model = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Line" representedClassName="Line" syncable="YES">
        <attribute name="code" attributeType="String"/>
        <attribute name="color" optional="YES" attributeType="String"/>
        <relationship name="halts" optional="YES" toMany="YES" destinationEntity="Halt" inverseName="line" inverseEntity="Halt"/>
        <relationship name="next" optional="YES" maxCount="1" destinationEntity="Line"/>
        \(ModelXML.unique("code"))
      </entity>
      <entity name="Express" representedClassName="Express" parentEntity="Line" syncable="YES">
        <attribute name="speed" optional="YES" attributeType="Integer 16"/>
      </entity>
      <entity name="Halt" representedClassName="Halt" syncable="YES">
        <attribute name="arrival" optional="YES" attributeType="Integer 32"/>
        <attribute name="day" optional="YES" attributeType="Date"/>
        <attribute name="height" optional="YES" attributeType="Float"/>
        <attribute name="key" optional="YES" attributeType="UUID"/>
        <attribute name="latitude" optional="YES" attributeType="Double"/>
        <attribute name="name" attributeType="String" maxValueString="3000"/>
        <attribute name="number" attributeType="Integer 32"/>
        <attribute name="onDemand" attributeType="Boolean" defaultValueString="NO"/>
        <attribute name="sketch" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <relationship name="line" maxCount="1" destinationEntity="Line" inverseName="halts" inverseEntity="Line"/>
        <relationship name="transfer" optional="YES" maxCount="1" destinationEntity="Line"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="line"/><constraint value="number"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.model, to: "Railway.xcdatamodel/contents")
  }

  /// What a run says.
  struct Result: Equatable {
    var counts: [OutcomeCounts] = []
    var rejects: [String] = []
    var strategies: [String] = []

    /// Whether new records were written as finished pages into a table that had rows.
    var hasLoaded: Bool { strategies.contains { $0.contains("new records written as finished pages") } }

    /// Whether a table was written anew for changed records.
    var hasRewritten: Bool { strategies.contains { $0.contains("changed records written as finished pages") } }

    /// Whether the same became of every record. Where new ones are written as pages, changes come later, so their
    /// rejects stand in another place.
    func isSame(as other: Result) -> Bool {
      func lines(_ result: Result) -> [[Substring]] {
        result.rejects.map { hasLoaded || other.hasLoaded ? $0.split(separator: "\n").sorted() : [$0[...]] }
      }
      func ways(_ result: Result) -> [String] {
        result.strategies.map { way in
          way.split(separator: "; ").filter { !$0.hasSuffix(" records written as finished pages") }.joined()
        }
      }
      return counts == other.counts && lines(self) == lines(other) && ways(self) == ways(other)
    }
  }

  func write(_ name: String, _ lines: [String]) throws {
    try folder.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  @discardableResult
  func run(_ steps: String, replace: String = "never", rejects: String = "limit: 100000") throws -> Result {
    try folder.write(
      """
      model: Railway.xcdatamodel
      store: { path: Railway.sqlite, replace: \(replace), now: "2026-01-31T12:00:00Z" }
      import:
      \(steps)
      rejects: { file: rejects.ndjson, \(rejects) }
      """, to: "p.yaml")
    for name in try folder.names() where name.hasPrefix("rejects") {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
    let pipeline = try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
    var options = PipelineRun.Options.ofTests
    options.jobs = 2
    options.recordsPerBatch = recordsPerBatch
    options.unchangedScan = unchangedScan
    let report = try PipelineRun(pipeline, options: options).run()
    return Result(
      counts: report.steps.map(\.counts),
      rejects: try report.rejectFiles.map {
        try String(contentsOfFile: $0, encoding: .utf8).replacing(folder.url.path, with: "")
      },
      strategies: report.steps.map { "\($0.strategy.rawValue): \($0.reason)" })
  }

  /// Every row of every table with all columns and their storage classes.
  func rows() throws -> [String] {
    let connection = try Connection(path: folder.path("Railway.sqlite"), options: .init(isReadOnly: true))
    defer { try? connection.close() }
    let tables = try connection.rows(
      ofQuery: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'Z_METADATA' ORDER BY name")
    var result: [String] = []
    for table in tables {
      let statement = try Statement(connection, "SELECT * FROM \"\(table)\" ORDER BY rowid")
      while try statement.step() {
        let values = (0..<statement.columnCount).map { column -> String in
          let index = Int32(column)
          switch statement.type(at: index) {
          case .blob: return "blob \(statement.blob(at: index) ?? [])"
          case let type: return "\(type) \(statement.string(at: index) ?? "∅")"
          }
        }
        result.append("\(table): \(values.joined(separator: " | "))")
      }
    }
    return result
  }

  func query(_ sql: String) throws -> [String] { try Connection.rows(at: folder.path("Railway.sqlite"), sql) }

  func execute(_ sql: String) throws {
    let connection = try Connection(path: folder.path("Railway.sqlite"))
    try connection.execute(sql)
    try connection.close()
  }
}
