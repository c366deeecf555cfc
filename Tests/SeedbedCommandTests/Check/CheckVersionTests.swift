import Foundation
import Testing

/// `check` with a model of several versions, and with two models.
@Suite("Check of versions and of two models")
struct CheckVersionTests {
  /// Depot 2 has a new optional attribute, another class and an index, Depot 3 a mandatory attribute without default.
  private func workspace(current: String? = "Depot 3") throws -> Workspace {
    let workspace = try DepotStore.workspace()
    let second = DepotStore.xml.replacingOccurrences(
      of: "<attribute name=\"text\" attributeType=\"String\"/>",
      with: "<attribute name=\"text\" attributeType=\"String\"/>"
        + "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
    .replacingOccurrences(of: "representedClassName=\"Keeper\"", with: "representedClassName=\"Guard\"")
    .replacingOccurrences(
      of: "<attribute name=\"since\"",
      with: "<fetchIndex name=\"bySince\"><fetchIndexElement property=\"since\"/></fetchIndex><attribute name=\"since\""
    )
    let third = second.replacingOccurrences(of: "name=\"note\" optional=\"YES\"", with: "name=\"note\"")
    for (name, xml) in [("Depot", DepotStore.xml), ("Depot 2", second), ("Depot 3", third)] {
      try workspace.write("Depot.xcdatamodeld/\(name).xcdatamodel/contents", xml)
    }
    let version = current.map { "<key>_XCCurrentVersionName</key><string>\($0).xcdatamodel</string>" } ?? ""
    try workspace.write(
      "Depot.xcdatamodeld/.xccurrentversion", "<plist version=\"1.0\"><dict>\(version)</dict></plist>")
    return workspace
  }

  @Test("the version that a store was made with is found by its hashes, and the current one is judged")
  func madeWith() async throws {
    let workspace = try workspace()
    let report = try await workspace.check(DepotStore.store, "Depot.xcdatamodeld")
    #expect(report.madeWith == ["Depot"] && report.modelVersion == "Depot 3")
    #expect(!report.fit && report.rowsWereChecked && report.problems.isEmpty)
    #expect(report.lightweightMigration?.possible == false)
    #expect(report.differences?.first?.message == "Label.note: added")
    let text = try await workspace.run("check", DepotStore.store, "--model", "Depot.xcdatamodeld")
    #expect(text.exitCode == 65)
    #expect(text.text.contains("The store was made with version Depot, and the given one is Depot 3."))
    #expect(text.text.contains("2 differences matter to no store (1 class name, 1 fetch index): --verbose shows them."))
    #expect(!text.text.contains("Guard"))
    let verbose = try await workspace.run("check", "--verbose", DepotStore.store, "Depot.xcdatamodeld").text
    #expect(verbose.contains("Keeper: class changed from Keeper to Guard"))
    let second = try await workspace.check(DepotStore.store, "Depot.xcdatamodeld/Depot 2")
    #expect(second.modelVersion == "Depot 2" && second.lightweightMigration?.possible == nil)
    let named = try await workspace.check(DepotStore.store, "Depot.xcdatamodeld", "--model-version", "Depot 2")
    #expect(named.madeWith == ["Depot"] && named.lightweightMigration?.possible == true)
  }

  @Test("an empty current-version file means the version named like the folder, which fits here")
  func emptyCurrentVersion() async throws {
    let report = try await workspace(current: nil).check(DepotStore.store, "Depot.xcdatamodeld")
    #expect(report.fit && report.modelVersion == "Depot" && report.madeWith == ["Depot"])
  }

  struct Answer: Decodable {
    struct Side: Decodable { var path: String, version: String?, versionHashesDigest: String }
    struct Difference: Decodable { var message: String, affectsVersionHash: Bool }
    struct Migration: Decodable { var possible: Bool }
    var first: Side
    var second: Side
    var equal: Bool
    var answer: String
    var differences: [Difference]
    var lightweightMigration: Migration?
  }

  private func compare(_ arguments: String..., in workspace: Workspace) async throws -> (Answer, Int32, String) {
    let outcome = try await Tool.run(["check", "--json"] + arguments, in: workspace.folder)
    let text = try await Tool.run(["check"] + arguments, in: workspace.folder)
    #expect(text.exitCode == outcome.exitCode)
    return (try JSONDecoder().decode(Answer.self, from: Data(outcome.output)), outcome.exitCode, text.text)
  }

  @Test("two models are equal when their hashes are, whatever else differs")
  func pairs() async throws {
    let workspace = try workspace()
    var (answer, code, text) = try await compare(
      "Depot.xcdatamodeld/Depot", "Depot.xcdatamodeld/Depot 2.xcdatamodel", in: workspace)
    #expect(code == 65 && !answer.equal && answer.lightweightMigration?.possible == true)
    #expect(answer.differences.map(\.affectsVersionHash) == [true, false, false])
    #expect(answer.first.version == "Depot" && answer.second.version == "Depot 2")
    #expect(text.contains("  Label.note: added") && text.contains("A lightweight migration would do."))
    #expect(text.hasSuffix("\n\(answer.answer)\n") && answer.answer.hasPrefix("Different: "))
    (answer, code, text) = try await compare(
      "Depot.xcdatamodeld/Depot 2", "Depot.xcdatamodeld", in: workspace)
    #expect(code == 65 && answer.second.version == "Depot 3" && answer.lightweightMigration?.possible == false)
    try workspace.write(
      "Other.xcdatamodel/contents",
      DepotStore.xml.replacingOccurrences(of: "representedClassName=\"Keeper\"", with: "representedClassName=\"K\""))
    (answer, code, text) = try await compare(DepotStore.model, "Other.xcdatamodel", in: workspace)
    #expect(code == 0 && answer.equal && answer.lightweightMigration == nil && answer.differences.count == 1)
    #expect(text.contains("1 difference matters to no store (1 class name): --verbose shows it."))
    #expect(text.hasSuffix("\nEqual: a store of either model opens with the other as it is.\n"))
    (answer, code, _) = try await compare(
      "Depot.xcdatamodeld/Depot", "Depot.xcdatamodeld", "--model-version", "Depot", in: workspace)
    #expect(code == 0 && answer.differences.isEmpty)
  }

  @Test("what cannot be compared is refused")
  func refused() async throws {
    let workspace = try workspace()
    for (arguments, code, text) in [
      (["Depot.xcdatamodeld"], 64, "a second model"),
      (["Depot.xcdatamodeld/Depot", "Depot.xcdatamodeld/Depot 9"], 78, "the model has no version Depot 9"),
      (["--strict", "Depot.xcdatamodeld", "Depot.xcdatamodel"], 64, "--strict"),
      ([DepotStore.store, "Depot.xcdatamodel", "--model", "Depot.xcdatamodel"], 64, "twice"),
    ] as [([String], Int32, String)] {
      let outcome = try await Tool.run(["check"] + arguments, in: workspace.folder)
      #expect(outcome.exitCode == code && outcome.talk.contains(text), "\(arguments) \(outcome.talk)")
    }
  }
}
