import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

/// Mapping models of real apps, with policies as these have them.
@Suite(
  "Mapping models of real apps",
  .enabled(if: FixtureFolder.isAvailable, Comment(rawValue: FixtureFolder.absenceReason)))
struct FixtureMigrationTests {
  private static let models = "coredataplus/SampleModel.xcdatamodeld"

  /// What Apple's Core Data gave for the same store and mapping model.
  @Test("cars get their makers", arguments: ["V2toV3.xcmappingmodel", "V2toV3.cdm"])
  func cars(file: String) throws {
    let folder = try TemporaryFolder()
    let source = try FixtureFolder.copyStore("stores/coredataplus/SampleModel_V2.sqlite", to: folder.url)
    let (older, newer) = (
      try Fixtures.model(Self.models, version: "SampleModel2"), try Fixtures.model(Self.models, version: "SampleModel3")
    )
    let manager = MigrationManager(sourceModel: older, destinationModel: newer)
    manager.migrationPolicies = ["V2to3MakerPolicy": MakerPolicy.self]
    manager.batchSize = 7
    let result = folder.file("SampleModel_V3.sqlite")
    try manager.migrateStore(
      from: source, type: .sqlite, mapping: Fixtures.mapping("coredataplus/" + file), to: result, type: .sqlite)
    #expect(try Stores.problems(result, newer) == [])
    let before = try Stores.open(source, older) { context in
      try context.all("Car").map { car in
        [car["numberPlate"], car["model"], car["maker"], car.object(for: "owner")?["lastName"]].map {
          $0?.string ?? "-"
        }
          + [car.entity.name]
      }
    }
    try Stores.open(result, newer) { context in
      let cars = try context.all("Car")
      #expect(cars.count == 125)
      let counts = ["Car", "SportCar", "LuxuryCar"].map { name in
        cars.count { $0.entity.name == name || name == "SportCar" && $0.entity.name == "ExpensiveSportCar" }
      }
      #expect(counts == [115, 5, 5])
      #expect(try context.all("Maker").count == 10)
      #expect(try context.all("Person").count == 20)
      #expect(cars.allSatisfy { $0.object(for: "createdBy") != nil })
      for car in cars {
        let previous = try car.objects(for: "previousOwners")
        #expect(car.object(for: "owner").map { previous.contains($0) } ?? previous.isEmpty)
      }
      let after = cars.map { car in
        [
          car["numberPlate"], car["model"], car.object(for: "createdBy")?["name"],
          car.object(for: "owner")?["lastName"],
        ].map { $0?.string ?? "-" } + [car.entity.name]
      }
      #expect(Set(after) == Set(before) && after.count == before.count)
    }
  }

  private static let notes = "uncloud-notes/UnCloudNotesDataModel.xcdatamodeld"

  @Test("notes get attachments, and these become images")
  func notes() throws {
    let folder = try TemporaryFolder()
    let versions = try ["v2", "v3", "v4"].map {
      try Fixtures.model(Self.notes, version: "UnCloudNotesDataModel " + $0)
    }
    let urls = ["2.sqlite", "3.sqlite", "4.sqlite"].map { folder.file($0) }
    let image = Data((0..<100).map { UInt8($0) })
    try Stores.write(urls[0], versions[0]) { context in
      for number in 0..<10 {
        let note = try context.insert(
          "Note",
          [
            "title": "note \(number)", "body": "body \(number)", "displayIndex": number,
            "dateCreated": Date.distantPast,
          ])
        if number % 3 == 0 { note["image"] = Value.data(image) }
      }
    }
    for (index, name) in ["v2_to_v3", "v3_to_v4"].enumerated() {
      let manager = MigrationManager(sourceModel: versions[index], destinationModel: versions[index + 1])
      manager.migrationPolicies = ["AttachmentToImageAttachmentMigrationPolicyV3toV4": ImagePolicy.self]
      manager.batchSize = 3
      try manager.migrateStore(
        from: urls[index], type: .sqlite,
        mapping: Fixtures.mapping("uncloud-notes/UnCloudNotesMappingModel_\(name).xcmappingmodel"),
        to: urls[index + 1], type: .sqlite)
      #expect(try Stores.problems(urls[index + 1], versions[index + 1]) == [])
    }
    try Stores.open(urls[2], versions[2]) { context in
      let found = try context.all("Note")
      #expect(found.compactMap { $0["title"] as String? } == (0..<10).map { "note \($0)" })
      for (number, note) in found.enumerated() {
        let attachments = try note.objects(for: "attachments")
        #expect(attachments.count == (number % 3 == 0 ? 1 : 0))
        for attachment in attachments {
          #expect(attachment.entity.name == "ImageAttachment")
          #expect(attachment["caption"] == "body \(number)" && attachment["width"] == Float(100))
          #expect(attachment["image"] == Value.data(image))
        }
      }
    }
  }

  @Test("deleted carbohydrates become entries that are marked, and defaults stay")
  func carbohydrates() throws {
    let folder = try TemporaryFolder()
    let path = "loopkit/Model.xcdatamodeld"
    let (older, newer) = (try Fixtures.model(path, version: "Model"), try Fixtures.model(path, version: "Modelv4"))
    let (source, result) = (folder.file("1.sqlite"), folder.file("4.sqlite"))
    try Stores.writeCarbohydrates(source, older)
    let manager = MigrationManager(sourceModel: older, destinationModel: newer)
    manager.migrationPolicies = MigrationPolicies([
      CachedCarbObjectv3EntityMigrationPolicy.self, DeletedCarbObjectv3EntityMigrationPolicy.self,
    ])
    try manager.migrateStore(
      from: source, type: .sqlite, mapping: Fixtures.mapping("loopkit/Modelv1v4.xcmappingmodel"), to: result,
      type: .sqlite)
    #expect(try Stores.problems(result, newer) == [])
    let standard = try #require(newer["CachedCarbObject"]?.attribute("operation")?.defaultValue)
    try Stores.open(result, newer) { context in
      let found = try context.all("CachedCarbObject")
      #expect(found.count == 10)
      #expect(found.count { $0["operation"] == Value.integer(2) } == 5)
      #expect(found.count { ($0["operation"] as Value?) ?? .null == standard } == 5)
      #expect(found.compactMap { $0["grams"] as Double? }.reduce(0, +) == 10)
    }
  }
}

/// As that of the app: super, then find or create the maker.
private final class MakerPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    guard let name: String = source["maker"] else { return }
    let context = manager.destinationContext
    let car = try #require(
      manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]).first)
    let request = FetchRequest<ManagedObject>(entityName: "Maker")
    request.predicate = FetchPredicate(format: "name == %@", name)
    let maker = try context.fetch(request).first ?? context.insert("Maker", ["name": name])
    maker.mutableSetValue(forKey: "cars").add(car)
  }
}

/// As that of the app: evaluates the expressions with nothing but the source.
final class ImagePolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let context = manager.destinationContext
    let attachment = try context.insert("ImageAttachment")
    for property in mapping.attributeMappings {
      guard let value = try manager.value(of: property, in: mapping, forSource: source) else { continue }
      attachment.setValue(value, forKey: property.name)
    }
    if let image: Data = source["image"] {
      attachment["width"] = Float(image.count)
      attachment["height"] = Float(1)
    }
    let body: String? = source.object(for: "note")?["body"]
    attachment["caption"] = String((body ?? "").prefix(80))
    manager.associate(sourceInstance: source, withDestinationInstance: attachment, for: mapping)
  }
}

final class CachedCarbObjectv3EntityMigrationPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source])
    made.first?["anchorKey"] = Int64(source.objectID.primaryKey ?? 0)
  }
}

final class DeletedCarbObjectv3EntityMigrationPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let context = manager.destinationContext
    let object = try context.insert(
      "CachedCarbObject", ["operation": 2, "createdByCurrentApp": false, "grams": 0.0])
    object["startDate"] = source["startDate"] as Value?
    manager.associate(sourceInstance: source, withDestinationInstance: object, for: mapping)
  }
}
