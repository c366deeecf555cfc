import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

/// From each version of a real app's model to the last, by the mapping models that lie beside it where there is one for
/// the two versions, and by inferred steps elsewhere.
@Suite(
  "Chains by the mapping models of real apps", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)")
)
struct FixtureChainTests {
  private static func library(_ path: String, usesMappings: Bool = true) throws -> ModelLibrary {
    let library = try ModelLibrary(modelURL: FixtureFolder.url.appendingPathComponent("models/" + path))
    return usesMappings ? library : ModelLibrary(versions: library.versions)
  }

  /// How each step is done: the name of its mapping model, or `inferred`.
  private static func ways(_ chain: MigrationChain) -> [String] {
    chain.steps.map { step in
      switch step.way {
      case .inferred: "inferred"
      case .mapped(let mapping): URL(fileURLWithPath: mapping.name).deletingPathExtension().lastPathComponent
      }
    }
  }

  private static let notes = "uncloud-notes/UnCloudNotesDataModel.xcdatamodeld"
  private static let image = Data((0..<100).map { UInt8($0) })

  private func migration(_ library: ModelLibrary) -> ProgressiveMigration {
    var policies = MigrationPolicies([
      CachedCarbObjectv3EntityMigrationPolicy.self, DeletedCarbObjectv3EntityMigrationPolicy.self,
    ])
    policies["AttachmentToImageAttachmentMigrationPolicyV3toV4"] = ImagePolicy.self
    return ProgressiveMigration(library: library, policies: policies)
  }

  /// A store of the first version, brought to the second, in which some notes get images.
  private func notes(_ folder: TemporaryFolder, _ library: ModelLibrary) throws -> URL {
    let url = folder.file("Notes.sqlite")
    try Stores.write(url, library.versions[0].model) { context in
      for number in 0..<10 {
        try context.insert(
          "Note",
          [
            "title": "note \(number)", "body": "body \(number)", "displayIndex": number,
            "dateCreated": Date.distantPast,
          ])
      }
    }
    let chain = try migration(library).migrateStore(at: url, type: .sqlite, to: library.versions[1].model)
    #expect(Self.ways(chain) == ["inferred"])
    try Stores.write(url, library.versions[1].model) { context in
      for (number, note) in try context.all("Note").enumerated() where number % 3 == 0 {
        note["image"] = Value.data(Self.image)
      }
    }
    return url
  }

  @Test("notes of the first version come to the last, version by version, and at once", arguments: [true, false])
  func notes(isStepwise: Bool) throws {
    let library = try Self.library(Self.notes)
    let folder = try TemporaryFolder()
    let url = try notes(folder, library)
    let names = ["UnCloudNotesMappingModel_v2_to_v3", "UnCloudNotesMappingModel_v3_to_v4"]
    if isStepwise {
      for (index, name) in names.enumerated() {
        let chain = try migration(library).migrateStore(at: url, type: .sqlite, to: library.versions[index + 2].model)
        #expect(Self.ways(chain) == [name])
        #expect(try Stores.problems(url, library.versions[index + 2].model) == [])
      }
    } else {
      let chain = try migration(library).migrateStore(at: url, type: .sqlite, to: library.versions[3].model)
      #expect(Self.ways(chain) == names && chain.steps.allSatisfy(\.losses.isEmpty))
    }
    let newest = library.versions[3].model
    #expect(try Stores.problems(url, newest) == [])
    try Stores.open(url, newest) { context in
      let found = try context.all("Note")
      #expect(found.compactMap { $0["title"] as String? }.sorted() == (0..<10).map { "note \($0)" })
      for note in found {
        let number = Int((note["displayIndex"] as Int64?) ?? -1)
        let attachments = try note.objects(for: "attachments")
        #expect(attachments.count == (number % 3 == 0 ? 1 : 0))
        for attachment in attachments {
          #expect(attachment.entity.name == "ImageAttachment" && attachment["image"] == Value.data(Self.image))
          #expect(attachment["caption"] == "body \(number)" && attachment["width"] == Float(100))
        }
      }
    }
    #expect(try folder.names().filter { !$0.hasPrefix("Notes.sqlite") && !$0.hasPrefix(".Notes") } == [])
  }

  @Test("without mapping models the same notes come to the last version too, and the images that go are named")
  func inferredNotes() throws {
    let library = try Self.library(Self.notes)
    let folder = try TemporaryFolder()
    let url = try notes(folder, library)
    let inferred = try Self.library(Self.notes, usesMappings: false)
    let chain = try migration(inferred).migrateStore(at: url, type: .sqlite, to: library.versions[3].model)
    #expect(chain.isLightweight && chain.steps.flatMap(\.losses) == ["Note.image: removed, its values go"])
    #expect(try Stores.problems(url, library.versions[3].model) == [])
    try Stores.open(url, library.versions[3].model) { context in
      let (found, attachments) = (try context.all("Note"), try context.all("Attachment"))
      #expect(found.compactMap { $0["title"] as String? } == (0..<10).map { "note \($0)" })
      #expect(attachments.isEmpty)
    }
  }

  @Test("carbohydrates by the app's mapping model, and inferred", arguments: [true, false])
  func carbohydrates(usesMappings: Bool) throws {
    let library = try Self.library("loopkit/Model.xcdatamodeld", usesMappings: usesMappings)
    let (older, newer) = (library.versions[0].model, library.versions[1].model)
    let folder = try TemporaryFolder()
    let url = folder.file("Model.sqlite")
    try Stores.writeCarbohydrates(url, older)
    let chain = try migration(library).migrateStore(at: url, type: .sqlite, to: newer)
    #expect(Self.ways(chain) == [usesMappings ? "Modelv1v4" : "inferred"])
    let losses = chain.steps.flatMap(\.losses)
    #expect(losses.contains("DeletedCarbObject: removed, its objects go") == !usesMappings, "\(losses)")
    #expect(try Stores.problems(url, newer) == [])
    try Stores.open(url, newer) { context in
      let found = try context.all("CachedCarbObject")
      #expect(found.count == (usesMappings ? 10 : 5))
      #expect(found.count { $0["operation"] == Value.integer(2) } == (usesMappings ? 5 : 0))
      #expect(found.compactMap { $0["grams"] as Double? }.reduce(0, +) == 10)
    }
  }
}
