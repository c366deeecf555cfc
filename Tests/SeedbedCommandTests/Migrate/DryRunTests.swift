import Foundation
import TestSupport
import Testing

/// `seedbed migrate --dry-run` ends as the migration would, and says the same.
@Suite("seedbed migrate --dry-run")
struct DryRunTests {
  /// Two versions of a model, rows of the first, and what is in the way of the second.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var entities: @Sendable (_ isNewer: Bool) -> String
    var rows: String
    var policy: String
    var exitCode: Int32
    var sentence: String

    var testDescription: String { name }
  }

  private static func attribute(_ name: String, _ more: String = "optional=\"YES\"") -> String {
    "<attribute name=\"\(name)\" attributeType=\"String\" \(more)/>"
  }

  private static func relationship(_ name: String, _ target: String, _ inverse: String, _ more: String) -> String {
    "<relationship name=\"\(name)\" destinationEntity=\"\(target)\" inverseName=\"\(inverse)\" inverseEntity=\"\(target)\" "
      + "deletionRule=\"Nullify\" \(more)/>"
  }

  /// Items with boxes that must have one.
  private static func boxes(_ isNewer: Bool) -> String {
    "<entity name=\"Box\">\(attribute("n"))\(relationship("item", "Item", "boxes", "maxCount=\"1\""))</entity>"
      + "<entity name=\"Item\">\(attribute("x"))\(relationship("boxes", "Box", "item", "toMany=\"YES\" optional=\"YES\""))"
      + "\(isNewer ? ModelXML.unique("x") : "")</entity>"
  }

  private static let boxRows =
    "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 2, 1, 'a'), (2, 2, 1, 'a'); "
    + "INSERT INTO ZBOX(Z_PK, Z_ENT, Z_OPT, ZN, ZITEM) VALUES (1, 1, 1, 'b1', 1), (2, 1, 1, 'b2', 2); "
    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2"

  /// Items that have one owner, who has one item.
  private static func owners(_ isNewer: Bool) -> String {
    "<entity name=\"Item\">\(attribute("x"))\(relationship("owner", "Owner", "item", "maxCount=\"1\" optional=\"YES\""))"
      + "\(isNewer ? ModelXML.unique("x") : "")</entity>"
      + "<entity name=\"Owner\">\(attribute("n"))\(relationship("item", "Item", "owner", "maxCount=\"1\" optional=\"YES\""))</entity>"
  }

  private static let ownerRows =
    "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, ZX, ZOWNER) VALUES (1, 1, 1, 'a', 1), (2, 1, 1, 'a', 2); "
    + "INSERT INTO ZOWNER(Z_PK, Z_ENT, Z_OPT, ZN, ZITEM) VALUES (1, 2, 1, 'o1', 1), (2, 2, 1, 'o2', 2); "
    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2"

  /// Two constraints: what one policy merges, the other forbids.
  private static func twice(_ isNewer: Bool) -> String {
    "<entity name=\"Item\">\(attribute("x"))\(attribute("y"))"
      + (isNewer
        ? "<uniquenessConstraints><uniquenessConstraint><constraint value=\"y\"/></uniquenessConstraint>"
          + "<uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>"
        : ModelXML.unique("y")) + "</entity>"
  }

  private static func mandatory(_ isNewer: Bool) -> String {
    "<entity name=\"Item\">\(isNewer ? attribute("x", "") : attribute("x"))</entity>"
  }

  static let cases: [Case] = [
    Case(
      name: "a mandatory relationship that duplicates leave empty", entities: boxes, rows: boxRows,
      policy: "keep-first",
      exitCode: 65, sentence: "Box.item"),
    Case(
      name: "the same, merged", entities: boxes, rows: boxRows, policy: "merge", exitCode: 0, sentence: ""),
    Case(
      name: "duplicates that nothing resolves", entities: boxes, rows: boxRows, policy: "refuse", exitCode: 65,
      sentence: "Item: x must be unique now, and 1 value is there more than once: a"),
    Case(
      name: "one owner of two", entities: owners, rows: ownerRows, policy: "merge", exitCode: 65,
      sentence: "duplicates cannot be resolved so"),
    Case(
      name: "one of two constraints", entities: twice,
      rows: "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, ZX, ZY) VALUES (1, 1, 1, 'a', NULL), (2, 1, 1, 'a', 'q'); "
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2",
      policy: "keep-last", exitCode: 0, sentence: ""),
    Case(
      name: "an attribute without values", entities: mandatory,
      rows: "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1",
      policy: "refuse", exitCode: 78, sentence: "Item.x"),
  ]

  @Test("a dry run ends as the migration does, and says the same", arguments: cases)
  func same(test: Case) async throws {
    let workspace = try Workspace()
    for (name, isNewer) in [("Shop", false), ("Shop 2", true)] {
      try workspace.write(
        "Shop.xcdatamodeld/\(name).xcdatamodel/contents",
        "<model documentVersion=\"1.0\">\(test.entities(isNewer))</model>")
    }
    try workspace.write(
      "shop.yaml", "model: { path: Shop.xcdatamodeld, version: Shop }\nstore: { path: Shop.sqlite }\n")
    let built = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    try workspace.execute("Shop.sqlite", test.rows)
    let (before, names) = (try workspace.bytes("Shop.sqlite"), try workspace.names())
    let line = [
      "migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 2", "--duplicates", test.policy,
    ]
    let plan = try await Tool.run(line + ["--dry-run"], in: workspace.folder)
    #expect(plan.exitCode == test.exitCode, "\(plan.text)\(plan.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before && workspace.names() == names)
    let done = try await Tool.run(line, in: workspace.folder)
    #expect(done.exitCode == plan.exitCode, "\(done.text)\(done.talk)")
    if test.exitCode == 0 { return }
    #expect(try workspace.bytes("Shop.sqlite") == before && workspace.names() == names)
    #expect(
      (plan.text + plan.talk).contains(test.sentence) && !plan.text.contains("mandatory now"),
      "\(plan.text)\(plan.talk)")
    // Everything that the migration is refused for stands in the plan.
    let reasons = done.talk.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.contains("hint:") }
    for reason in reasons {
      let text = String(reason.trimmingPrefix { $0 == " " })
      #expect((plan.text + plan.talk).contains(text), "\(text): \(plan.text)\(plan.talk)")
    }
  }
}
