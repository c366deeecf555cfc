import TestSupport
import Testing

/// Derived attributes through the whole tool, and the layout that `store.framework` asks for.
@Suite("Derived attributes and framework versions of a run")
struct DerivedAttributeTests {
  private static func model(_ derivation: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" \
    userDefinedModelVersionIdentifier="">
      <entity name="Band" representedClassName="Band" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <attribute name="searchName" optional="YES" attributeType="String" derived="YES" \
    derivationExpression="\(derivation)"/>
        <attribute name="length" optional="YES" attributeType="Integer 64" derived="YES" \
    derivationExpression="songs.@sum.seconds"/>
        <attribute name="savedAt" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
        <relationship name="songs" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Song" \
    inverseName="band" inverseEntity="Song"/>
        \(ModelXML.unique("name"))
      </entity>
      <entity name="Song" representedClassName="Song" syncable="YES">
        <attribute name="title" attributeType="String"/>
        <attribute name="seconds" attributeType="Integer 32" usesScalarValueType="YES"/>
        <attribute name="bandName" optional="YES" attributeType="String" derived="YES" \
    derivationExpression="band.name"/>
        <relationship name="band" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Band" \
    inverseName="songs" inverseEntity="Band"/>
        <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
      </entity>
    </model>
    """
  }

  private func workspace(_ settings: String, derivation: String = "canonical:(name)") throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("Music.xcdatamodel/contents", Self.model(derivation))
    try workspace.write("bands.csv", "name\nSigur Rós\nMúm\n")
    try workspace.write("songs.csv", "title,seconds,band\nHoppípolla,268,Sigur Rós\nGlósóli,377,Sigur Rós\nSmell,90,\n")
    try workspace.write("music.yaml", yaml(settings))
    return workspace
  }

  private func yaml(_ settings: String) -> String {
    """
    model: Music.xcdatamodel
    store: { path: Music.sqlite\(settings) }
    import:
      - { from: bands.csv, entity: Band, match: [name], map: { name: name } }
      - from: songs.csv
        entity: Song
        match: [title]
        map: { title: title, seconds: seconds, band: { match: name, from: band } }
    """
  }

  private static let moment = ", now: \"2001-01-02T00:00:00Z\""

  @Test("a run computes them, two runs give the same bytes, and an import into the store keeps them up to date")
  func run() async throws {
    let workspace = try workspace(Self.moment)
    #expect(try await workspace.report("music.yaml").exitCode == 0)
    let bytes = try workspace.bytes("Music.sqlite")
    #expect(try await workspace.report("music.yaml").exitCode == 0)
    #expect(try workspace.bytes("Music.sqlite") == bytes)
    let bands = "SELECT ZSEARCHNAME || ' ' || ZLENGTH || ' ' || CAST(ZSAVEDAT AS INTEGER) FROM ZBAND ORDER BY Z_PK"
    let songs = "SELECT coalesce(ZBANDNAME, '-') FROM ZSONG ORDER BY Z_PK"
    #expect(try workspace.query("Music.sqlite", bands) == ["sigur ros 645 86400", "mum 0 86400"])
    #expect(try workspace.query("Music.sqlite", songs) == ["Sigur Rós", "Sigur Rós", "-"])

    try workspace.write("songs.csv", "title,seconds,band\nGlósóli,300,Múm\nNew,5,Sigur Rós\n")
    try workspace.write("music.yaml", yaml(", replace: never, now: \"2001-01-03T00:00:00Z\""))
    #expect(try await workspace.report("music.yaml").exitCode == 0)
    #expect(try workspace.query("Music.sqlite", bands) == ["sigur ros 273 172800", "mum 300 172800"])
    #expect(try workspace.query("Music.sqlite", songs) == ["Sigur Rós", "Múm", "-", "Sigur Rós"])
    let check = try await workspace.run("check", "Music.sqlite", "--model", "Music.xcdatamodel")
    #expect(check.exitCode == 0)
  }

  @Test("one that cannot be computed stops the run before anything is read")
  func refusal() async throws {
    let workspace = try workspace("", derivation: "titlecase:(name)")
    let outcome = try await workspace.run("run", "music.yaml")
    #expect(outcome.exitCode == 78)
    #expect(
      outcome.talk.contains(
        "Band.searchName is derived by titlecase:(name), which is not computed here: the function titlecase of name "
          + "is not known"))
    #expect(!workspace.exists("Music.sqlite"))
    let lint = try await workspace.run("lint", "music.yaml")
    #expect(lint.exitCode == 78 && lint.text.contains("is derived by titlecase:(name), which is not computed here"))
  }

  @Test("a sum that no integer holds is told as what it is, and the store stays")
  func overflow() async throws {
    let workspace = try workspace(Self.moment)
    try workspace.write(
      "Music.xcdatamodel/contents",
      Self.model("canonical:(name)").replacing("attributeType=\"Integer 32\"", with: "attributeType=\"Integer 64\""))
    #expect(try await workspace.report("music.yaml").exitCode == 0)
    let bytes = try workspace.bytes("Music.sqlite")
    try workspace.write("songs.csv", "title,seconds,band\na,\(Int64.max),Múm\nb,1,Múm\n")
    for settings in [Self.moment, ", replace: never"] {
      try workspace.write("music.yaml", yaml(settings))
      let outcome = try await workspace.run("run", "music.yaml")
      #expect(outcome.exitCode == 65 && outcome.talk.contains("the sum of a derived attribute"), "\(outcome.talk)")
      #expect(try workspace.bytes("Music.sqlite") == bytes)
    }
  }

  @Test("store.framework gives the layout and the metadata of that version")
  func framework() async throws {
    let workspace = try workspace(Self.moment + ", framework: 754")
    #expect(try await workspace.report("music.yaml").exitCode == 0)
    let indexes = "SELECT name FROM sqlite_schema WHERE tbl_name = 'ZSONG' AND type = 'index' ORDER BY name"
    #expect(try workspace.query("Music.sqlite", indexes) == ["ZSONG_ZBAND_INDEX", "ZSONG_ZTITLE_INDEX"])
    let inspect = try await workspace.run("inspect", "Music.sqlite")
    #expect(inspect.text.contains("framework version  754, "))
    try workspace.write("music.yaml", yaml(", framework: 754, replace: never"))
    let outcome = try await workspace.run("run", "music.yaml")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("a copied store keeps its layout"))
  }
}
