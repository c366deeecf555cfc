import TestSupport
import Testing

/// Files in which something is lost easily: bytes of two encodings, zeros below zero, a first line that may be a
/// record, records by key, lists that an export has no column for.
@Suite("Odd files through seedbed init and run")
struct InitOddFileTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var file: String
    var bytes: [UInt8]
    /// What is printed.
    var told: [String]
    /// What is in the pipeline.
    var words: [String] = []
    var export: String
    /// The run's exit code: 1 where records are rejected within the limit.
    var exitCode: Int32 = 0
    var testDescription: String { name }

    init(
      _ name: String, _ file: String, _ text: String, told: [String] = [], words: [String] = [], export: String
    ) {
      (self.name, self.file, bytes, self.told, self.words) = (name, file, Array(text.utf8), told, words)
      self.export = export
    }
  }

  private static var badBytes: Case {
    var example = Case(
      "UTF-8 with one byte that is none", "a.csv", "id,town\n1,Zürich\n2,Köln\n3,D?sseldorf\n4,Bâle\n",
      told: [
        "a.csv: 1 record cannot be read and is rejected (line 4", "all else is UTF-8",
        "`encoding: windows-1252`, which takes each for a character",
      ], export: "id,town\n1,Zürich\n2,Köln\n4,Bâle\n")
    example.bytes = example.bytes.map { $0 == UInt8(ascii: "?") ? 0xFC : $0 }
    example.exitCode = 1
    return example
  }

  static var cases: [Case] {
    [
      badBytes,
      Case(
        "a zero below zero", "a.csv", "id,temp\n1,-0.0\n",
        told: ["a.csv: temp: 1 of 1 is written otherwise in an export: -0.0 becomes 0.0 (line 2)"],
        export: "id,temp\n1,0.0\n"),
      Case(
        "a zero below zero in JSON", "a.json", #"[{"id":1,"temp":1.25},{"id":2,"temp":-0.0}]"#,
        told: ["a.json: temp: 1 of 2 is zero with a minus sign, which no store keeps: -0.0 becomes 0.0"],
        export: "{\"id\":1,\"temp\":1.25}\n{\"id\":2,\"temp\":0.0}\n"),
      Case(
        "texts alone", "a.csv", "Alpha,red\nBeta,blue\nGamma,green\n",
        told: [
          "a.csv: the first line is taken for names, \"Alpha\", \"red\": where it is a record, write `header: false` and `columns`"
        ], words: ["# the first line is taken for names"], export: "Alpha,red\nBeta,blue\nGamma,green\n"),
      Case(
        "what databases write for null", "a.csv", "id,name,size\n1,\\N,\\N\n2,\\N,\\N\n3,Ann,5\n",
        told: [
          "a.csv: name: 2 of 3 are \"\\N\" and become null: empty in an export (line 2)",
          "a.csv: size: 2 of 3 are \"\\N\" and become null",
        ], words: ["name: { from: name, nulls: [\"\", \"\\\\N\"] }", "Integer 32"],
        export: "id,name,size\n1,,\n2,,\n3,Ann,5\n"),
      Case(
        "comments among the records", "a.csv", "# made by hand\nid,n\n1,a\n#2,b\n3,#c\n",
        told: ["a.csv: left out: 1 line with # in front among the records (first in line 4)"],
        words: ["comment: \"#\""], export: "id,n\n1,a\n3,#c\n"),
      Case(
        "records by key", "a.json", #"{"de":{"name":"Germany","pop":83},"fr":{"name":"France","pop":67}}"#,
        words: ["keyed-by: id  # the members of the object are records with the same keys", "match: [id]"],
        export: "{\"id\":\"de\",\"name\":\"Germany\",\"pop\":83}\n{\"id\":\"fr\",\"name\":\"France\",\"pop\":67}\n"),
      Case(
        "many records by key, beside other values", "a.json",
        #"{"n":3,"all":{"# + (0..<300).map { #""k\#($0)":{"id":\#($0),"v":"x"}"# }.joined(separator: ",") + "}}",
        told: ["a.json: left out: /n: they stand beside the records"],
        words: ["pointer: \"/all\"", "keyed-by: key"],
        export: (0..<300).map { "{\"key\":\"k\($0)\",\"id\":\($0),\"v\":\"x\"}\n" }.joined()),
      Case(
        "lists of objects", "a.json", #"[{"id":1,"items":[{"n":1}]},{"id":2,"items":[]}]"#,
        told: ["a.json: items: a list of objects has no column, so it is in the store and not in an export"],
        export: "{\"id\":1}\n{\"id\":2}\n"),
    ]
  }

  @Test("what changes is told, and all else comes back", arguments: cases)
  func files(_ example: Case) async throws {
    let workspace = try Workspace()
    try workspace.write(example.file, example.bytes)
    let made = try await workspace.run("init", example.file, "--export", "--name", "t")
    try #require(made.exitCode == 0, "\(made.talk)")
    for text in example.told { #expect(made.talk.contains(text), "\(text)\n\(made.talk)") }
    let pipeline = try workspace.text("pipelines/t.yaml")
    for word in example.words { #expect(pipeline.contains(word), "\(word)\n\(pipeline)") }
    let lint = try await workspace.run("lint", "pipelines/t.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")
    let ran = try await workspace.run("run", "pipelines/t.yaml")
    #expect(ran.exitCode == example.exitCode, "\(ran.talk)")
    let name = try #require(try workspace.names(in: "build").first { $0.hasPrefix("a.") && !$0.contains("sqlite") })
    #expect(try workspace.text("build/" + name) == example.export, "\(pipeline)")
  }

  @Test("a text in Windows-1252 stays one, whatever two of its bytes form")
  func windows() async throws {
    let workspace = try Workspace()
    // "Ã©" is written in it once, which is also the UTF-8 of "é".
    try workspace.write(
      "a.csv",
      Array("id,t\n1,".utf8) + [0xC3, 0xA9, 0x0A] + Array("2,x".utf8) + [0xE9, 0x0A] + Array("3,".utf8)
        + [0xFC, 0xF6, 0x0A])
    let made = try await workspace.run("init", "a.csv", "--export", "--name", "t")
    #expect(made.talk.contains("it is not UTF-8"), "\(made.talk)")
    #expect(try workspace.text("pipelines/t.yaml").contains("encoding: latin-1"))
  }

  @Test("where the header has bytes that are no UTF-8, no name and no record is lost")
  func header() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "a.csv", Array("id,gr".utf8) + [0xF6, 0xDF] + Array("e,straße,ä\n1,a,b,c\n2,d,e,é\n".utf8))
    let made = try await workspace.run("init", "a.csv", "--export", "--name", "t")
    #expect(made.talk.contains("it is not UTF-8"), "\(made.talk)")
    #expect(try workspace.text("pipelines/t.yaml").contains("a.csv: 2 records"))
    #expect(try await workspace.run("run", "--quiet", "pipelines/t.yaml").exitCode == 0)
    #expect(try workspace.text("build/a.csv").hasPrefix("id,größe,"))
  }

  @Test("for a model that is there, an export has the fields that fit, and what it has not is told")
  func givenModel() async throws {
    let workspace = try Workspace()
    try workspace.write("a.json", #"[{"id":1,"name":"x","items":[{"n":1}]},{"id":2,"name":"y","items":[{"n":2}]}]"#)
    try #require(try await workspace.run("init", "a.json", "--name", "t").exitCode == 0)
    let made = try await workspace.run("init", "a.json", "--model", "t.xcdatamodeld", "--name", "u", "--export")
    try #require(made.exitCode == 0, "\(made.talk)")
    #expect(made.talk.contains("a.json: items: a list of objects has no column"), "\(made.talk)")
    #expect(try await workspace.run("run", "--quiet", "pipelines/u.yaml").exitCode == 0)
    #expect(
      try workspace.text("build/a.ndjson") == "{\"id\":1,\"name\":\"x\"}\n{\"id\":2,\"name\":\"y\"}\n")
  }

  @Test("arrays go to String and Transformable attributes of a model that is there, whatever their names hold")
  func givenArrays() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="A">
      <attribute name="id" attributeType="Integer 64"/><attribute name="tags" attributeType="String"/>
      <attribute name="aB" optional="YES" attributeType="String"/>
      <attribute name="shape" optional="YES" attributeType="Transformable"/>
      <attribute name="parts" attributeType="Transformable"/>
      \(ModelXML.unique("id"))
      </entity>
      """)
    try workspace.write(
      "a.json",
      #"[{"id":1,"tags":["x"],"a.b":"y","shape":[1,2],"parts":[]},{"id":2,"tags":[],"a.b":"z","shape":null,"parts":[]}]"#
    )
    let made = try await workspace.run("init", "a.json", "--model", "M.xcdatamodel", "--name", "u", "--export")
    try #require(made.exitCode == 0, "\(made.talk)")
    for text in [
      "a.json: tags: 2 arrays become text with their JSON", "a.json: shape: 1 array become archives",
      "a.json: shape: an archive is base64 in an export",
    ] { #expect(made.talk.contains(text), "\(text)\n\(made.talk)") }
    let pipeline = try workspace.text("pipelines/u.yaml")
    #expect(pipeline.contains("shape: shape") && pipeline.contains("tags: text(tags)"), "\(pipeline)")
    let ran = try await workspace.run("run", "pipelines/u.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)")
    #expect(!ran.talk.contains("has the field"), "\(ran.talk)")
    #expect(
      try workspace.text("build/a.ndjson")
        == #"{"id":1,"tags":"[\"x\"]","a.b":"y"}"# + "\n" + #"{"id":2,"tags":"[]","a.b":"z"}"# + "\n")
    #expect(try workspace.query("build/u.sqlite", "SELECT count(ZSHAPE), count(ZPARTS) FROM ZA") == ["1|2"])
  }
}
