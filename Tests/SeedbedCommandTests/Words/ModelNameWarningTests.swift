import Foundation
import Testing

/// What Xcode would refuse of a model is said by those who look at models, and keeps nothing from working.
@Suite("Warnings of names")
struct ModelNameWarningTests {
  private static let words = [
    "the attribute Item.Price begins with a capital letter", "the relationship Item.Owner begins with a capital letter",
    "Item.description has the name of a method of every managed object", "the entity thing begins with a small letter",
  ]

  private func workspace() async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Item">
      <attribute name="Price" optional="YES" attributeType="Double"/>
      <attribute name="description" optional="YES" attributeType="String"/>
      <relationship name="Owner" optional="YES" maxCount="1" destinationEntity="thing" inverseName="items" inverseEntity="thing"/>
      </entity><entity name="thing">
      <relationship name="items" optional="YES" toMany="YES" destinationEntity="Item" inverseName="Owner" inverseEntity="Item"/>
      </entity>
      """)
    try workspace.write("a.csv", "p,d\n1.5,x\n")
    try workspace.write(
      "a.yaml",
      "model: M.xcdatamodel\nstore: { path: A.sqlite }\n"
        + "import: [{ from: a.csv, entity: Item, map: { Price: p, description: d } }]\n")
    let run = try await workspace.run("run", "a.yaml")
    #expect(run.exitCode == 0 && !run.text.contains("warning") && run.talk.isEmpty, "\(run.text)\(run.talk)")
    return workspace
  }

  @Test("check, lint and inspect warn, and the exit code is 0")
  func warnings() async throws {
    let workspace = try await workspace()
    for arguments in [
      ["check", "A.sqlite", "--model", "M.xcdatamodel"], ["check", "A.sqlite", "--model", "M.xcdatamodel", "--strict"],
      ["lint", "a.yaml"], ["inspect", "M.xcdatamodel"], ["inspect", "M.xcdatamodel", "--json"],
    ] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(arguments): \(outcome.text)\(outcome.talk)")
      for words in Self.words { #expect(outcome.text.contains(words), "\(arguments): \(outcome.text)") }
    }
  }
}
