import Foundation
import Testing

/// What is amiss with a model or a store and keeps nothing from working has to be seen.
@Suite("Warnings of every command")
struct WarningTests {
  private static let entities = """
      <entity name="Stop">
        <attribute name="code" attributeType="String"/>
        <attribute name="count" optional="YES" attributeType="Integer 16" defaultValueString="YES"/>
        <attribute name="latitude" optional="YES" attributeType="Double"/>
        <fetchIndex name="byPlace"><fetchIndexElement property="latitude" type="RTree" order="ascending"/></fetchIndex>
        <fetchIndex name="odd"><fetchIndexElement property="nothing" type="Binary" order="ascending"/></fetchIndex>
      </entity>
    """

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Stops.xcdatamodel")
    try workspace.write("stops.csv", "code,latitude\na,46.1\nb,\n")
    try workspace.write("more.csv", "code,latitude\nc,5\na,47\n")
    for (name, source, store) in [("a", "stops.csv", "A.sqlite"), ("b", "more.csv", "B.sqlite, seed: A.sqlite")] {
      try workspace.write(
        "\(name).yaml",
        """
        model: Stops.xcdatamodel
        store: { path: \(store) }
        import:
          - { from: \(source), entity: Stop, match: [code], map: { code: code, latitude: latitude } }
        """)
    }
    return workspace
  }

  @Test("a model's oddities are shown by lint, run, check and inspect")
  func model() async throws {
    let workspace = try workspace()
    for arguments in [
      ["lint", "a.yaml"], ["run", "a.yaml"], ["check", "A.sqlite", "Stops.xcdatamodel"],
      ["inspect", "Stops.xcdatamodel"], ["inspect", "A.sqlite", "--model", "Stops.xcdatamodel"],
    ] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(arguments) \(outcome.talk)")
      #expect(outcome.text.contains("the fetch index odd of Stop names nothing"), "\(arguments)")
      // It is told once.
      #expect(arguments[0] != "check" || !outcome.text.contains("Index Stop.odd"), "\(outcome.text)")
    }
    #expect(try workspace.query("A.sqlite", "SELECT ZCOUNT FROM ZSTOP") == ["1", "1"])
  }

  @Test("an import runs no foreign trigger, names it, and keeps the R-tree")
  func foreignTrigger() async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "a.yaml").exitCode == 0)
    try workspace.execute("A.sqlite", "CREATE TRIGGER spy AFTER INSERT ON ZSTOP BEGIN DELETE FROM ZSTOP; END")
    let outcome = try await workspace.run("run", "b.yaml")
    #expect(
      outcome.exitCode == 0 && outcome.text.contains("warning: the trigger spy on ZSTOP does not belong to the model"))
    #expect(
      try workspace.query("B.sqlite", "SELECT Z_PK, ZLATITUDE_MIN FROM Z_RT_Stop_byPlace ORDER BY 1")
        == ["1|47.0", "2|0.0", "3|5.0"])
    let check = try await workspace.run("check", "--strict", "B.sqlite", "Stops.xcdatamodel")
    #expect(check.exitCode == 0 && check.text.contains("note: the trigger spy on ZSTOP does not belong to the model"))
  }
}
