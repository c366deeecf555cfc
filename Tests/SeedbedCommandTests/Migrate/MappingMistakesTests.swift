import Foundation
import TestSupport
import Testing

/// What `migrate`, its dry run and `check` say of a mapping model of Xcode's with one mistake in it.
@Suite(
  "Mistakes in mapping models, with the real tool",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct MappingMistakesTests {
  private static let mapping = Notes.mapping("v2_to_v3")
  private static let version = "UnCloudNotesDataModel v3"

  private func workspace(_ change: (String) -> String) async throws -> Workspace {
    let workspace = try await Notes.workspace(
      version: "v2", records: "[{\"title\": \"one\", \"body\": \"b\", \"image\": \"AQID\"}]",
      map: "body: body, image: image")
    let xml = try String(
      contentsOfFile: FixtureFolder.path("models/uncloud-notes/\(Self.mapping)/xcmapping.xml"), encoding: .utf8)
    #expect(change(xml) != xml)
    try workspace.write(Self.mapping + "/xcmapping.xml", change(xml))
    return workspace
  }

  /// What stands in the XML, what in its place, and what is said of it.
  static let cases: [(old: String, new: String, said: [String])] = [
    (
      ">Attachment<", ">Atachment<",
      ["entity mapping NoteToAtachment has the destination entity Atachment", "did you mean \"Attachment\"?"]
    ),
    (
      "<attribute name=\"sourcename\" type=\"string\">Note<", "<attribute name=\"sourcename\" type=\"string\">Nota<",
      ["entity mapping NotaToNote has the source entity Nota", "did you mean \"Note\"?"]
    ),
    (">title<", ">titel<", ["mapping NoteToNote, Note.titel: ", "did you mean \"title\"?"]),
    (">image != nil<", ">imago != nil<", ["mapping NoteToAttachment", "imago"]),
    (">note<", ">notee<", ["mapping NoteToAttachment, Attachment.notee: ", "did you mean \"note\"?"]),
    (">NoteToNote<", ">NoteToNota<", ["mapping NoteToAttachment, Attachment.note: ", "NoteToNota", "NoteToNote"]),
    (">$source<", ">$source.nothing<", ["mapping NoteToAttachment, Attachment.note: ", "\"nothing\""]),
  ]

  @Test("a wrong name is said with its place, and by all in the same words", arguments: cases.indices)
  func mistakes(index: Int) async throws {
    let (old, new, said) = Self.cases[index]
    let workspace = try await workspace { $0.replacing(old, with: new) }
    let before = try workspace.bytes("Notes.sqlite")
    let line = ["migrate", "Notes.sqlite", "--model", Notes.model, "--to", Self.version]
    for more in [["--dry-run"], [], ["--mapping", Self.mapping], ["--mapping", Self.mapping, "--dry-run"]] {
      let outcome = try await Tool.run(line + more, in: workspace.folder)
      #expect(outcome.exitCode == 78, "\(more) \(outcome.text)\(outcome.talk)")
      for text in said + [Self.mapping] { #expect(outcome.talk.contains(text), "\(text): \(outcome.talk)") }
    }
    let check = try await workspace.run(
      "check", "Notes.sqlite", "--model", Notes.model, "--model-version", Self.version)
    for text in said { #expect(check.text.contains(text), "\(text): \(check.text)") }
    #expect(try workspace.bytes("Notes.sqlite") == before)
  }

  @Test(
    "an entity mapping that is taken out leaves objects behind: told where that is asked for, and refused otherwise")
  func leftOut() async throws {
    let workspace = try await workspace {
      $0.replacing("idrefs=\"z106 z110\"", with: "idrefs=\"z110\"")
    }
    let line = ["migrate", "Notes.sqlite", "--model", Notes.model, "--to", Self.version]
    for more in [["--dry-run", "--json"], []] {
      let outcome = try await Tool.run(line + ["--mapping", Self.mapping] + more, in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(outcome.text.contains("Note.image: removed, its values go"), "\(outcome.text)")
    }
  }

  @Test("a mapping model that cannot be read is named by inspect")
  func inspection() async throws {
    let workspace = try await workspace { $0.replacing("type=\"int16\">2<", with: "type=\"int16\">two<") }
    let outcome = try await workspace.run("inspect", Self.mapping)
    #expect(outcome.exitCode == 78 && outcome.talk.contains("\(Self.mapping)/xcmapping.xml"), "\(outcome.talk)")
    #expect(outcome.talk.contains("NoteToNote: mappingnumber is two"), "\(outcome.talk)")
  }
}
