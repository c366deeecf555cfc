import SQLite
import TestQueries
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// Relationships whose number of members the model limits, which records say from the other side.
@Suite("Limits on the number of members")
struct MemberLimitTests {
  private static let model = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Owner" representedClassName="Owner" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="boats" optional="YES" toMany="YES" maxCount="3" destinationEntity="Boat" inverseName="owner" inverseEntity="Boat"/>
        \(ModelXML.unique("name"))
      </entity>
      <entity name="Boat" representedClassName="Boat" syncable="YES">
        <attribute name="code" attributeType="String"/>
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner" inverseName="boats" inverseEntity="Owner"/>
        \(ModelXML.unique("code"))
      </entity>
    </model>
    """

  private static let owners = """
      - from: owners.csv
        entity: Owner
        match: [name]
        map: { name: name }

    """

  private static func boats(_ strategy: String) -> String {
    """
      - from: boats.csv
        entity: Boat
        match: [code]
        strategy: \(strategy)
        map: { code: code, owner: { match: name, from: owner } }

    """
  }

  private func run(_ steps: String, batch: Int, in folder: TemporaryFolder) throws -> RunReport {
    try folder.write(Self.model, to: "Harbour.xcdatamodel/contents")
    try folder.write(
      """
      model: Harbour.xcdatamodel
      store: { path: Harbour.sqlite }
      import:
      \(steps)
      rejects: { file: rejects.ndjson, limit: 1000 }
      """, to: "p.yaml")
    try folder.write("name\n" + (0..<4).map { "o\($0)\n" }.joined(), to: "owners.csv")
    try folder.write("code,owner\n" + (0..<40).map { "b\($0),o\($0 % 4)\n" }.joined(), to: "boats.csv")
    let pipeline = try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
    var options = PipelineRun.Options.ofTests
    options.jobs = 2
    options.recordsPerBatch = batch
    return try PipelineRun(pipeline, options: options).run()
  }

  private func counts(_ folder: TemporaryFolder) throws -> [String] {
    try Connection.rows(
      at: folder.path("Harbour.sqlite"),
      "SELECT ZNAME || ' ' || (SELECT count(*) FROM ZBOAT WHERE ZOWNER = o.Z_PK) FROM ZOWNER o ORDER BY 1")
  }

  @Test(
    "hold, however the records are batched and whatever writes them", arguments: ["find-or-create", "automatic"],
    [1, 2, 5, 40])
  func holds(strategy: String, batch: Int) throws {
    let folder = try TemporaryFolder()
    let report = try run(Self.owners + Self.boats(strategy), batch: batch, in: folder)
    #expect(report.steps[1].strategy == .findOrCreate)
    #expect(try counts(folder) == ["o0 3", "o1 3", "o2 3", "o3 3"])
    #expect(report.steps[1].counts.inserted == 12 && report.steps[1].counts.rejected == 28)
  }

  @Test("are not left to what does not check them", arguments: ["upsert", "bulk"])
  func refused(strategy: String) throws {
    let folder = try TemporaryFolder()
    #expect {
      try run(Self.owners + Self.boats(strategy), batch: 5, in: folder)
    } throws: {
      "\($0)".contains("the number of Owner.boats is limited")
    }
    #expect(try !folder.names().contains("Harbour.sqlite"))
  }

  @Test("hold for owners that come later: the run fails, and says which")
  func later() throws {
    let folder = try TemporaryFolder()
    #expect {
      try run(Self.boats("find-or-create") + Self.owners, batch: 5, in: folder)
    } throws: {
      ($0 as? RunError)?.kind == .badData && "\($0)".contains("Owner.boats: 4 objects are more than the 3 allowed")
        && "\($0)".contains("boats.csv:14:")
        && ($0 as? RunError)?.hint?.contains("put the step of Owner first") == true
    }
    #expect(try !folder.names().contains("Harbour.sqlite"))
  }
}
