import Foundation
import Testing

/// What programs read from `--json` where there is nothing to compare or to migrate.
@Suite("JSON answers of commands that fail")
struct JSONAnswerTests {
  @Test(
    "check answers in JSON also where nothing can be compared",
    arguments: [
      ("damaged.sqlite", 65, false), ("empty.sqlite", 65, false), ("none.sqlite", 66, nil), ("folder", 66, nil),
    ] as [(String, Int32, Bool?)])
  func check(name: String, exitCode: Int32, isFit: Bool?) async throws {
    let workspace = try await Workspace.withItems()
    try workspace.write("damaged.sqlite", Array(try workspace.bytes("Shop.sqlite").prefix(5000)))
    try workspace.write("empty.sqlite", "")
    try workspace.write("folder/file", "")
    let outcome = try await workspace.run("check", name, "--json")
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    let answer = try outcome.object()
    #expect(answer["fit"] as? Bool == isFit)
    let error = try #require(answer["error"] as? [String: Any])
    let message = try #require(error["message"] as? String)
    #expect(answer["answer"] as? String == message)
    #expect(outcome.talk.contains(message) && message.contains(name))
    let sound = try await workspace.run("check", "Shop.sqlite", "--json").object()
    #expect(sound["error"] is NSNull && sound["fit"] as? Bool == true)
  }

  @Test("a dry run of migrate tells duplicates that are in the way as its refusal, and errors as such")
  func migrate() async throws {
    let attribute = VersionedShop.attribute("a")
    let workspace = try await VersionedShop.workspace(
      [
        ("Shop", VersionedShop.entity("Item", attribute)),
        ("Shop 2", VersionedShop.entity("Item", attribute, unique: "a")),
      ], rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 1, 'x'), (2, 1, 1, 'x')")
    func migrate(_ store: String, _ more: String...) async throws -> (Int32, [String: Any], String) {
      let outcome = try await Tool.run(
        ["migrate", store, "--model", "Shop.xcdatamodeld", "--json"] + more, in: workspace.folder)
      return (outcome.exitCode, try await Report.checked(outcome.output, kind: "migration"), outcome.talk)
    }
    let (planned, plan, _) = try await migrate("Shop.sqlite", "--dry-run")
    #expect(planned == 65)
    #expect((plan["refusal"] as? String)?.contains("a must be unique now") == true, "\(plan)")
    let (_, merged, _) = try await migrate("Shop.sqlite", "--dry-run", "--duplicates", "merge")
    #expect(merged["refusal"] is NSNull && merged["error"] is NSNull)
    let (refused, answer, _) = try await migrate("Shop.sqlite")
    #expect(refused == 65 && answer["migrated"] as? Bool == false)
    // What the plan says, the migration that is refused says too.
    for member in ["from", "to", "conditions", "entities", "tables", "losses"] {
      let (said, planned) = (answer[member] as? NSObject, plan[member] as? NSObject)
      #expect(said != nil && said == planned, "\(member)")
    }
    let (missing, none, talk) = try await migrate("none.sqlite", "--dry-run")
    #expect(missing == 66)
    for (result, said) in [(answer, nil), (none, talk)] as [([String: Any], String?)] {
      let error = try #require(result["error"] as? [String: Any])
      let message = try #require(error["message"] as? String)
      #expect(said?.contains(message) ?? message.contains("unique"))
    }
  }
}
