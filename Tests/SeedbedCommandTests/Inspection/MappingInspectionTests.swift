import Foundation
import TestSupport
import Testing

/// `inspect` on mapping models, with the real tool.
@Suite("Inspecting a mapping model")
struct MappingInspectionTests {
  @Test(
    "entity mappings are listed with their expressions",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"),
    arguments: ["V2toV3.xcmappingmodel", "V2toV3.cdm"])
  func listing(name: String) async throws {
    let workspace = try Workspace()
    let path = FixtureFolder.path("models/coredataplus/\(name)")
    let outcome = try await workspace.run("inspect", path)
    let text = String(decoding: outcome.output, as: UTF8.self)
    #expect(outcome.exitCode == 0 && text.contains("5 entity mappings"), "\(outcome.talk)")
    #expect(text.contains("CarToCar · custom · Car → Car · policy REPLACE_AT_RUNTIME.V2to3MakerPolicy"))
    #expect(text.contains("Maker · add · nothing → Maker"))
    #expect(text.contains("destinationInstancesForEntityMappingNamed:sourceInstances:"))
    let json = try await workspace.run("inspect", "--json", path)
    let found = try json.object()
    let mappings = try #require(found["entityMappings"] as? [[String: Any]])
    #expect(mappings.count == 5 && mappings.allSatisfy { ($0["destinationVersionHash"] as? String)?.count == 64 })
    #expect((found["source"] is NSNull) == name.hasSuffix(".cdm"))
  }

  @Test("what is none, or is not there, is refused with its path")
  func refusals() async throws {
    let workspace = try Workspace()
    try workspace.write("Shop.xcmappingmodel/xcmapping.xml", "<database></database>")
    try workspace.write("Shop.cdm", "bplist00")
    for (path, message) in [
      ("Shop.xcmappingmodel", "0 mapping models"), ("Shop.cdm", "Shop.cdm"), ("None.cdm", "no such file"),
    ] {
      let outcome = try await workspace.run("inspect", path)
      #expect(outcome.exitCode != 0 && outcome.talk.contains(message) && outcome.output.isEmpty, "\(outcome.talk)")
    }
    let diagram = try await workspace.run("inspect", "--er", "-", "Shop.cdm")
    #expect(diagram.exitCode == 64 && diagram.talk.contains("not mappings"), "\(diagram.talk)")
  }
}
