import FileStores
import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Composite attributes in stores that are files: written, and read as they were.
@Suite("Composite attributes in files")
struct CompositeFileTests {
  enum Kind: String, CaseIterable, Sendable {
    case binary, xml, csv, ndjson, json
  }

  private static func model() throws -> ManagedObjectModel {
    var spot = AttributeDefinition("spot", .composite)
    spot.composite = .init(name: "Spot", elements: [.init("x", .float), .init("seen", .date)])
    var cache = AttributeDefinition("cache", .string)
    cache.isTransient = true
    var address = AttributeDefinition("address", .composite)
    address.composite = .init(
      name: "Address",
      elements: [.init("street", .string), spot, .init("area", .binary), .init("open", .boolean), cache])
    var venue = EntityDefinition("Venue")
    venue.attributes = [.init("name", .string), address, .init("zone", .integer16)]
    venue.uniquenessConstraints = [["name"]]
    return try ManagedObjectModel(entities: [venue])
  }

  private static func open(
    _ kind: Kind, _ folder: TemporaryFolder, _ model: ManagedObjectModel
  ) throws -> any PersistentStore {
    switch kind {
    case .binary: return try AtomicStore(url: folder.file("v.binary"), model: model, format: BinaryStoreFormat())
    case .xml: return try AtomicStore(url: folder.file("v.xml"), model: model, format: XMLStoreFormat())
    case .csv, .ndjson, .json:
      let format = RecordFileFormat(rawValue: kind.rawValue) ?? .csv
      let description = PersistentStoreDescription(type: RecordFolderType(format: format), url: folder.url)
      return try description.type.load(description, model: model)
    }
  }

  @Test("elements are kept, nested ones, missing ones and whole composites that are missing", arguments: Kind.allCases)
  func kept(kind: Kind) throws {
    let folder = try TemporaryFolder()
    let full: Value = .composite([
      "street": .string("Oak, \"1\""), "open": .boolean(true), "area": .data(Data([0, 255])),
      "spot": .composite([
        "x": .double(Double(Float(0.1))), "seen": .date(Date(timeIntervalSinceReferenceDate: 1.25)),
      ]),
    ])
    let values: [Value] = [
      full, .null, .composite(["spot": .composite(["x": .double(2)])]), .composite(["street": .string("")]),
    ]
    let model = try Self.model()
    let store = try Self.open(kind, folder, model)
    let venue = try #require(model["Venue"])
    let address = try #require(venue.attributes.firstIndex { $0.name == "address" })
    let name = try #require(venue.attributes.firstIndex { $0.name == "name" })
    var request = SaveRequest()
    let first = try store.reservePrimaryKeys(values.count, for: venue)
    for (index, value) in values.enumerated() {
      var attributes = [Value](repeating: .null, count: venue.attributes.count)
      attributes[address] = value
      attributes[name] = .string("v\(index)")
      let id = store.id(of: venue, first + Int64(index))
      request.inserted.append(Snapshot(objectID: id, version: 1, attributes: attributes, toOne: []))
    }
    try store.save(request)
    let again = try Self.open(kind, folder, model)
    var fetch = FetchSpecification(venue)
    fetch.sortDescriptors = [.init(["name"])]
    #expect(try again.snapshots(fetch).map { $0.attributes[address] } == values)
    fetch.predicate = try FetchPredicate(parsing: "address.spot.x == 2 OR address.open == YES")
    #expect(try again.snapshots(fetch).map { $0.attributes[name] } == [.string("v0"), .string("v2")])

    var wrong = SaveRequest()
    var row = request.inserted[0]
    row.attributes[address] = .composite(["town": .string("x")])
    row.attributes[name] = .string("w")
    row.objectID = ObjectID(
      entity: venue,
      reference: .permanent(store: again.identifier, primaryKey: try again.reservePrimaryKeys(1, for: venue)))
    wrong.inserted = [row]
    #expect(throws: StoreError.self) { try again.save(wrong) }
  }
}
