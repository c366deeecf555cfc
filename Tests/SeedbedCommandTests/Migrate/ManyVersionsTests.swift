import Foundation
import Testing

/// A model of about a hundred versions, as apps have them that are developed for years.
@Suite("seedbed migrate through about a hundred versions")
struct ManyVersionsTests {
  private static let versionCount = 96
  private static let entityCount = 12

  private static func version(_ number: Int) -> String { number == 0 ? "Shop" : "Shop \(number + 1)" }

  /// In each version one entity's text is renamed, so that the chain alone knows where it comes from; every tenth has
  /// an attribute that no other has, whose loss is none for a store that never had it, and links come and stay.
  private static func xml(_ version: Int) -> String {
    let entities = (0..<entityCount).map { index -> String in
      // How often this entity's text was renamed until this version.
      let renames = (version + entityCount - 1 - index) / entityCount
      let former = renames > 0 ? " elementID=\"text\(renames - 1)\"" : ""
      var text =
        "<entity name=\"E\(index)\"><attribute name=\"text\(renames)\"\(former) optional=\"YES\" attributeType=\"String\"/>"
        + "<attribute name=\"number\" optional=\"YES\" attributeType=\"Integer 64\"/>"
      if version % 10 == 5, index == 3 {
        text += "<attribute name=\"passing\" optional=\"YES\" attributeType=\"String\"/>"
      }
      if version >= index * 5, index > 0 {
        text +=
          "<relationship name=\"before\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
          + "destinationEntity=\"E\(index - 1)\" inverseName=\"after\" inverseEntity=\"E\(index - 1)\"/>"
      }
      if index + 1 < entityCount, version >= (index + 1) * 5 {
        text +=
          "<relationship name=\"after\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
          + "destinationEntity=\"E\(index + 1)\" inverseName=\"before\" inverseEntity=\"E\(index + 1)\"/>"
      }
      return text + "</entity>"
    }
    return "<model documentVersion=\"1.0\">\(entities.joined())</model>"
  }

  private static func column(_ entity: Int, _ version: Int) -> String {
    "text\((version + entityCount - 1 - entity) / entityCount)"
  }

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    for number in 0..<Self.versionCount {
      try workspace.write(
        "Shop.xcdatamodeld/\(Self.version(number)).xcdatamodel/contents", Self.xml(number))
    }
    try workspace.writeCurrentVersion(Self.version(Self.versionCount - 1), of: "Shop")
    for entity in 0..<Self.entityCount {
      try workspace.write("\(entity).csv", "text,number\n" + (0..<5).map { "e\(entity) \($0),\($0)\n" }.joined())
    }
    return workspace
  }

  @Test("the oldest store, and one from the middle, come to the newest with all that they have", arguments: [0, 48])
  func newest(start: Int) async throws {
    let workspace = try workspace()
    let steps = (0..<Self.entityCount).map { entity in
      "  - { from: \(entity).csv, entity: E\(entity), map: { \(Self.column(entity, start)): text, number: number } }"
    }
    try workspace.write(
      "shop.yaml",
      """
      model: { path: Shop.xcdatamodeld, version: "\(Self.version(start))" }
      store: { path: Shop.sqlite }
      import:
      \(steps.joined(separator: "\n"))
      """)
    let run = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    let check = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(check.exitCode == 65 && check.text.contains("seedbed migrate takes these steps:\n"), "\(check.text)")
    #expect(check.text.contains("To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld\n"))
    let result = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--json")
    #expect(result.exitCode == 0, "\(result.talk)")
    let object = try result.object()
    let taken = try #require(object["steps"] as? [[String: Any]])
    // A step takes each entity through one rename, and so a dozen versions at most.
    let last = Self.versionCount - 1
    #expect(taken.count == (last - start + Self.entityCount - 1) / Self.entityCount)
    #expect(taken.allSatisfy { ($0["losses"] as? [String])?.isEmpty == true })
    for entity in 0..<Self.entityCount {
      let column = "Z" + Self.column(entity, last).uppercased()
      #expect(
        try workspace.query("Shop.sqlite", "SELECT \(column), ZNUMBER FROM ZE\(entity) ORDER BY Z_PK")
          == (0..<5).map { "e\(entity) \($0)|\($0)" })
    }
    let after = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(after.exitCode == 0, "\(after.text)")
  }
}
