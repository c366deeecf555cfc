import Foundation
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

@Suite("Files that a run reads")
struct SourceInputsTests {
  @Test("a file that changes while a run reads it is told", arguments: ["longer", "touched", "gone", "same"])
  func changes(kind: String) throws {
    let workspace = try Workspace()
    try workspace.write("Town.xcdatamodel/contents", TownModel.xml)
    try workspace.write("a.csv", "code\n1\n")
    try workspace.write(
      "p.yaml",
      """
      model: Town.xcdatamodel
      store: { path: Town.sqlite }
      import:
        - from: a.csv
          entity: \(try firstEntity())
          map: { code: code }
      """)
    let pipeline = try PipelineReader.read(path: workspace.path("p.yaml"), environment: [:])
    let inputs = try SourceInputs(
      pipeline.imports, spool: SourceSpool(folder: workspace.path("t"), limit: nil, cancellation: Cancellation()))
    try inputs.requireUnchanged()
    switch kind {
    case "longer": try workspace.write("a.csv", "code\n1\n2\n")
    case "touched":
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: workspace.path("a.csv"))
    case "gone": try FileManager.default.removeItem(atPath: workspace.path("a.csv"))
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
