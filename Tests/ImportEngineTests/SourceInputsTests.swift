import Foundation
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("Files that a run reads")
struct SourceInputsTests {
  @Test("a file that changes while a run reads it is told", arguments: ["longer", "touched", "gone", "same"])
  func changes(kind: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(TownModel.xml, to: "Town.xcdatamodel/contents")
    try folder.write("code\n1\n", to: "a.csv")
    try folder.write(
      """
      model: Town.xcdatamodel
      store: { path: Town.sqlite }
      import:
        - from: a.csv
          entity: \(try firstEntity())
          map: { code: code }
      """, to: "p.yaml")
    let pipeline = try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
    let inputs = try SourceInputs(
      pipeline.imports, spool: SourceSpool(folder: folder.path("t"), limit: nil, cancellation: Cancellation()),
      isDryRun: false)
    try inputs.requireUnchanged()
    switch kind {
    case "longer": try folder.write("code\n1\n2\n", to: "a.csv")
    case "touched":
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder.path("a.csv"))
    case "gone": try FileManager.default.removeItem(atPath: folder.path("a.csv"))
    default:
      try inputs.requireUnchanged()
      return
    }
    let error = #expect(throws: RunError.self) { try inputs.requireUnchanged() }
    #expect(error?.code == "source.changed")
  }

  private func firstEntity() throws -> String {
    let name = TownModel.xml.split(separator: "<entity name=\"").dropFirst().first?.split(separator: "\"").first
    return String(try #require(name))
  }
}
