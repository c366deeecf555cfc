import Foundation
import TestSupport
import Testing

/// `Shop.xcdatamodeld` in several versions, and `Shop.sqlite` of the first.
enum VersionedShop {
  static func attribute(_ name: String, type: String = "String", _ more: String = "optional=\"YES\"") -> String {
    "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(more)/>"
  }

  static func entity(_ name: String, _ content: String..., unique: String? = nil) -> String {
    "<entity name=\"\(name)\">\(content.joined())\(unique.map(ModelXML.unique) ?? "")</entity>"
  }

  static func relationship(_ name: String, _ target: String, _ inverse: String, _ more: String) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" destinationEntity=\"\(target)\" inverseName=\"\(inverse)\" "
      + "inverseEntity=\"\(target)\" \(more)/>"
  }

  /// One step that SQL does in the store.
  static let oneStep = [
    ("Shop", entity("Item", attribute("a"), attribute("b"))),
    ("Shop 2", entity("Item", attribute("a"), attribute("b"), attribute("c"))),
  ]

  /// Two steps: `b` is renamed twice, which only they tell.
  static let twoSteps = [
    ("Shop", entity("Item", attribute("a"), attribute("b"))),
    ("Shop 2", entity("Item", attribute("a"), attribute("c", "optional=\"YES\" elementID=\"b\""))),
    ("Shop 3", entity("Item", attribute("a"), attribute("d", "optional=\"YES\" elementID=\"c\""), attribute("e"))),
  ]

  /// Two items.
  static let items = "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB) VALUES (1, 1, 1, 'x', '1'), (2, 1, 1, 'y', '2')"

  /// Writes versions of the model, the last one of which is current.
  static func write(_ versions: [(name: String, entities: String)], to workspace: Workspace) throws {
    for version in versions {
      try workspace.write(
        "Shop.xcdatamodeld/\(version.name).xcdatamodel/contents",
        "<model documentVersion=\"1.0\">\(version.entities)</model>")
    }
    try workspace.writeCurrentVersion(versions[versions.count - 1].name, of: "Shop")
  }

  /// A store of the first version that a pipeline imported items into.
  /// - Parameters:
  ///   - records: `items.csv`.
  ///   - step: what the step says besides, such as its map.
  static func imported(
    _ versions: [(name: String, entities: String)], _ records: String, _ step: String,
    into store: String = "Shop.sqlite"
  ) async throws -> Workspace {
    let workspace = try Workspace()
    try write(versions, to: workspace)
    try workspace.write("items.csv", records)
    try workspace.write(
      "items.yaml",
      """
      model: { path: Shop.xcdatamodeld, version: "\(versions[0].name)" }
      store: { path: \(store) }
      import: [{ from: items.csv, entity: Item, \(step) }]
      """)
    let built = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    return workspace
  }

  /// - Parameters:
  ///   - versions: name and entities of each, the last one of which is current.
  ///   - rows: SQL for the store of the first.
  static func workspace(_ versions: [(name: String, entities: String)], rows: String = items) async throws -> Workspace
  {
    let workspace = try Workspace()
    try write(versions, to: workspace)
    try workspace.write(
      "shop.yaml",
      "model: { path: Shop.xcdatamodeld, version: \"\(versions[0].name)\" }\nstore: { path: Shop.sqlite }\n")
    let built = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    try change(workspace, rows)
    return workspace
  }

  /// Changes the store, and counts its primary keys anew.
  static func change(_ workspace: Workspace, _ sql: String) throws {
    try workspace.execute("Shop.sqlite", sql + "; UPDATE Z_PRIMARYKEY SET Z_MAX = 9")
  }

  static func migrate(_ workspace: Workspace, _ more: [String] = []) async throws -> Tool.Outcome {
    try await Tool.run(["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld"] + more, in: workspace.folder)
  }

  /// A dry run and then the migration, which must end alike; the dry run changes nothing, and neither does a refusal.
  static func migrateBothWays(
    _ workspace: Workspace, _ more: [String] = []
  ) async throws -> (plan: Tool.Outcome, result: Tool.Outcome) {
    let (before, names) = (try workspace.bytes("Shop.sqlite"), try workspace.names())
    let plan = try await migrate(workspace, more + ["--dry-run"])
    #expect(try workspace.bytes("Shop.sqlite") == before && workspace.names() == names)
    let result = try await migrate(workspace, more)
    #expect(plan.exitCode == result.exitCode, "\(plan.text)\(plan.talk)\(result.text)\(result.talk)")
    if result.exitCode != 0 {
      #expect(try workspace.bytes("Shop.sqlite") == before && workspace.names() == names)
    }
    return (plan, result)
  }
}
