import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

@Suite("Which version of a model is read")
struct VersionSelectionTests {
  let library = OwnModels.library
  static let empty = "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"/>"

  static func currentVersion(_ name: String) -> String {
    "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
  }

  func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ModelError)?.description
    }
  }

  @Test("versions are listed with the current one")
  func list() throws {
    let versions = try ModelReader.versions(path: library)
    #expect(versions.names == ["Library", "Library 2"])
    #expect(versions.current == "Library 2")
    let single = try ModelReader.versions(path: library + "/Library.xcdatamodel")
    #expect(single.names == ["Library"] && single.current == "Library")
  }

  @Test("the current version may have blanks around its name, or in the file only", arguments: [" V", "V"])
  func blanks(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.empty, to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    try folder.write(Self.empty, to: "M.xcdatamodeld/W.xcdatamodel/contents")
    try folder.write(Self.currentVersion(" V.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    #expect(try ModelReader.versions(path: folder.path("M.xcdatamodeld")).current == name)
  }

  @Test("a version is found whose folder has its name in the other normal form of Unicode")
  func normalForms() throws {
    let folder = try TemporaryFolder()
    let (composed, decomposed) = ("\u{E9} 2", "e\u{301} 2")
    try folder.write(Self.empty, to: "M.xcdatamodeld/\(decomposed).xcdatamodel/contents")
    try folder.write(Self.empty, to: "M.xcdatamodeld/W.xcdatamodel/contents")
    try folder.write(Self.currentVersion(composed + ".xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    for version in [nil, composed, decomposed] {
      let file = try ModelReader.readFile(path: folder.path("M.xcdatamodeld"), version: version)
      #expect(file.versionName == composed)
    }
  }

  @Test(
    "a version is found by name, by folder and by file",
    arguments: [
      ("", "Library", "Library"), ("", "Library.xcdatamodel", "Library"), ("", nil, "Library 2"),
      ("/", nil, "Library 2"), ("//", "Library 2", "Library 2"), ("/Library.xcdatamodel", nil, "Library"),
      ("/Library.xcdatamodel/", "Library", "Library"), ("/Library.xcdatamodel/contents", nil, "Library"),
    ] as [(String, String?, String)])
  func choose(below: String, version: String?, expected: String) throws {
    #expect(try ModelReader.readFile(path: library + below, version: version).versionName == expected)
  }

  @Test("a single version needs no current-version file")
  func single() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.empty, to: "A.xcdatamodeld/One.xcdatamodel/contents")
    let file = try ModelReader.readFile(path: folder.path + "/A.xcdatamodeld")
    #expect(file.versionName == "One" && file.model.entities.isEmpty)
  }

  @Test("several versions without a current-version file are listed in the error")
  func ambiguous() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.empty, to: "A.xcdatamodeld/One.xcdatamodel/contents")
    try folder.write(Self.empty, to: "A.xcdatamodeld/Two.xcdatamodel/contents")
    let path = folder.path + "/A.xcdatamodeld"
    #expect(
      message { _ = try ModelReader.read(path: path) } == """
        \(path): the model has several versions and no .xccurrentversion that says which is current
          hint: name one of the versions: One, Two
        """)
    #expect(try ModelReader.versions(path: path).current == nil)
    #expect(try ModelReader.readFile(path: path, version: "Two").versionName == "Two")
  }

  @Test(
    "a damaged current-version file is an error",
    arguments: [
      ("none", "the file is not a property list with a _XCCurrentVersionName"),
      (
        "<plist><dict>" + String(repeating: "<array>", count: 50_000),
        "the file is not a property list with a _XCCurrentVersionName"
      ),
      ("<plist", "the file is not a property list with a _XCCurrentVersionName"),
      (currentVersion("Three.xcdatamodel"), "the current version Three is not in the folder"),
    ])
  func damaged(text: String, expected: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.empty, to: "A.xcdatamodeld/One.xcdatamodel/contents")
    let path = try folder.write(text, to: "A.xcdatamodeld/.xccurrentversion")
    let text = message { _ = try ModelReader.read(path: folder.path + "/A.xcdatamodeld") }
    #expect(text?.hasPrefix("\(path): \(expected)\n  hint: ") == true, "\(text ?? "no error")")
  }

  @Test("paths without a readable model say what to do")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    try folder.write("bplist00", to: "Old.xcdatamodel/elements")
    try folder.write("", to: "Empty.xcdatamodel/readme")
    try folder.write("", to: "Made.momd/Made.mom")
    try folder.write("momv2$", to: "Fast.omo")
    try folder.write("", to: "Void.momd/readme")
    try folder.write("", to: "Made/readme")
    try folder.write("bplist00", to: "Binary.xcdatamodel/contents")
    let cases = [
      ("/None.xcdatamodeld", "there is no model here"), ("/Made", "the folder holds no .xcdatamodel version"),
      ("/Old.xcdatamodel", "this is a model in the binary format of Xcode 3"),
      ("/Empty.xcdatamodel", "the model has no file named contents"),
      ("/Made.momd", "it is not a binary property list"),
      ("/Made.momd/Made.mom", "it is not a binary property list"), ("/None.momd", "there is no model here"),
      ("/Fast.omo", "this is a compiled model in Core Data's private layout"),
      ("/Void.momd", "the folder holds no .mom file"),
      ("/Binary.xcdatamodel", "this is a binary property list, not the XML of a model"),
    ]
    for (name, expected) in cases {
      let text = message { _ = try ModelReader.read(path: folder.path + name) }
      #expect(text?.contains(": \(expected)\n  hint: ") == true, "\(name): \(text ?? "no error")")
    }
    let library = library
    #expect(
      message { _ = try ModelReader.read(path: library, version: "Library 3") }?.contains("Library, Library 2") == true)
    #expect(
      message { _ = try ModelReader.read(path: library + "/Library.xcdatamodel", version: "Library 2") }?
        .contains("this is version Library, not Library 2") == true)
  }
}
