import CoreDataLayout
import Foundation
import Migration
import ModelFiles
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

/// A mapping model that Xcode made with one thing changed in its XML.
@Suite(
  "Mapping models with a mistake by chance", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct MappingMutationTests {
  private static let name = "UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel"

  /// A text with one character less, more, or another.
  private static func garbled(_ text: Substring, _ random: inout SeededGenerator) -> String {
    var letters = Array(text)
    let position = Int.random(in: letters.indices, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: letters.remove(at: position)
    case 1: letters.insert(letters[position], at: position)
    case 2: letters[position] = "z"
    default:
      letters[position] = Character(
        letters[position].isUppercase ? letters[position].lowercased() : letters[position].uppercased())
    }
    return String(letters)
  }

  /// - Returns: the XML, and what was put into it.
  private static func mutated(_ xml: String, _ random: inout SeededGenerator) -> (xml: String, text: String) {
    var xml = xml
    if Int.random(in: 0..<10, using: &random) == 0 {
      let left = Bool.random(using: &random) ? "z106" : "z110"
      return (xml.replacing("idrefs=\"z106 z110\"", with: "idrefs=\"\(left)\""), left)
    }
    // Where names, key paths and filters stand.
    let places =
      /<attribute name="(?:sourcename|destinationname|name|sourcemappingname|sourcekeypath|sourcefilterpredicatestring)" type="string">([^<]*)</
    let matches = xml.matches(of: places).filter { !$0.output.1.isEmpty }
    let place = matches[Int.random(in: matches.indices, using: &random)].output.1
    let text = garbled(place, &random)
    xml.replaceSubrange(place.startIndex..<place.endIndex, with: text)
    return (xml, text)
  }

  /// What became of a store: its rows as text, or what was said.
  private struct Outcome {
    var rows: [String] = []
    var said: [String] = []
  }

  private func migrate(
    _ store: URL, _ xml: String, _ models: [ModelLibrary.Version], _ folder: TemporaryFolder
  ) throws -> Outcome {
    let place = folder.file(Self.name)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data(xml.utf8).write(to: place.appendingPathComponent("xcmapping.xml"))
    var outcome = Outcome()
    let copy = folder.file("copy.sqlite")
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.copyItem(at: store, to: copy)
    do {
      let file = try MappingModelReader.read(path: place.path)
      outcome.said = file.warnings.map(\.message)
      let library = ModelLibrary(
        versions: models, mappings: [.init(name: Self.name, mappingModel: file.mappingModel)])
      outcome.said += library.warnings
      let chain = try ProgressiveMigration(library: library).migrateStore(
        at: copy, type: .sqlite, to: models[1].model)
      outcome.said += chain.steps.flatMap(\.losses)
    } catch {
      outcome.said.append("\(error)")
      return outcome
    }
    try Stores.open(copy, models[1].model) { context in
      for note in try context.all("Note") {
        let count = try note.objects(for: "attachments").count
        outcome.rows.append("\(note["title"] as String? ?? "") \(note["body"] as String? ?? "") \(count)")
      }
      outcome.rows.append("\(try context.all("Attachment").count)")
    }
    return outcome
  }

  @Test("a mistake in a mapping model is said, with its place, or changes nothing")
  func mutations() throws {
    let folder = try TemporaryFolder()
    let models = try ["v2", "v3"].map { version in
      try ModelLibrary.Version(
        name: version,
        model: Fixtures.model(
          "uncloud-notes/UnCloudNotesDataModel.xcdatamodeld", version: "UnCloudNotesDataModel \(version)"))
    }
    let store = folder.file("store.sqlite")
    try Stores.write(store, models[0].model) { context in
      for number in 1...3 {
        try context.insert("Note", ["title": "t\(number)", "body": "b", "dateCreated": Date(timeIntervalSince1970: 0)])
      }
    }
    let xml = try String(
      contentsOfFile: FixtureFolder.path("models/uncloud-notes/\(Self.name)/xcmapping.xml"), encoding: .utf8)
    let right = try migrate(store, xml, models, folder)
    #expect(right.said == [] && right.rows == ["t1 b 0", "t2 b 0", "t3 b 0", "0"])
    var random = SeededGenerator(seed: 19)
    var said = 0
    for number in 0..<30 {
      let (changed, text) = Self.mutated(xml, &random)
      let outcome = try migrate(store, changed, models, folder)
      if outcome.said.isEmpty {
        #expect(outcome.rows == right.rows, "\(number): \(text)")
        continue
      }
      said += 1
      let places = [text, Self.name, "Note", "Attachment"]
      #expect(
        outcome.said.contains { sentence in places.contains { sentence.contains($0) } }, "\(number): \(outcome.said)")
    }
    #expect(said > 10, "\(said)")
  }
}
