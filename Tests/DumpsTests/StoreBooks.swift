import CoreDataLayout
import ObjectModel
import SQLite

/// What a store says of its objects besides their properties: keys, versions, numbers of entities, counters, metadata.
struct StoreBooks {
  struct Counter: Equatable {
    var number: Int64
    var parent: Int64
    var last: Int64
  }

  /// Version by root, primary key and entity.
  private(set) var versions: [String: Int64] = [:]
  private var objects: [(entity: String, key: Int64, version: Int64)] = []
  private var counters: [String: Counter] = [:]
  private let metadata: StoreMetadata

  init(_ path: String, _ model: ManagedObjectModel) throws {
    metadata = try StoreMetadata.read(path: path)
    let layout = StoreLayout(
      model: model, generation: metadata.frameworkVersion.map { FrameworkGeneration(version: $0) } ?? .newest)
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    for table in layout.tables {
      let rows = try Statement(connection, "SELECT Z_PK, Z_ENT, Z_OPT FROM \(table.name)")
      while try rows.step() {
        let entity = layout.entity(number: Int(rows.int64(at: 1)))?.name ?? "?"
        objects.append((entity, rows.int64(at: 0), rows.int64(at: 2)))
        versions["\(table.root.name) \(rows.int64(at: 0)) \(entity)"] = rows.int64(at: 2)
      }
      rows.finalize()
    }
    let rows = try Statement(
      connection, "SELECT Z_NAME, Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    while try rows.step() {
      counters[rows.string(at: 0) ?? ""] = Counter(
        number: rows.int64(at: 1), parent: rows.int64(at: 2), last: rows.int64(at: 3))
    }
    rows.finalize()
  }

  private static let keysOfTheModel = [
    "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
  ]

  /// What is not as it follows from the books of the old store, or of another store of the new model.
  func problems(after old: StoreBooks, _ rules: DumpedObjects.Mapping, like other: StoreBooks) -> [String] {
    var problems: [String] = []
    var expected: [String: Int64] = [:]
    var last: [String: Int64] = [:]
    for object in old.objects {
      guard let key = rules.moved(object.key, of: object.entity), let name = rules.newNames[object.entity] else {
        continue
      }
      expected["\(key.root) \(key.number) \(name)"] = object.version
    }
    for (key, version) in expected where versions[key] != version {
      problems.append("\(key): version \(versions[key].map { "\($0)" } ?? "of no row"), not \(version)")
    }
    for key in versions.keys where expected[key] == nil { problems.append("\(key): a row too many") }
    // Keys that were given out are not given out again.
    for (entity, name) in rules.newNames where rules.older[entity]?.isAbstract == false {
      guard let root = rules.older[entity]?.root, let new = rules.newer[name]?.root else { continue }
      last[new.name] = max(last[new.name] ?? 0, (old.counters[root.name]?.last ?? 0) + (rules.offsets[entity] ?? 0))
    }
    for (name, counter) in other.counters {
      let isRoot = rules.newer[name]?.superentity == nil
      let wanted = Counter(number: counter.number, parent: counter.parent, last: isRoot ? last[name] ?? 0 : 0)
      if counters[name] != wanted {
        problems.append("Z_PRIMARYKEY of \(name): \(counters[name].map { "\($0)" } ?? "none"), not \(wanted)")
      }
    }
    for name in counters.keys where other.counters[name] == nil { problems.append("Z_PRIMARYKEY: \(name) is too many") }
    if metadata.uuid != old.metadata.uuid { problems.append("another UUID") }
    for key in Set(metadata.values.keys).union(old.metadata.values.keys).sorted() {
      let wanted = (Self.keysOfTheModel.contains(key) ? other : old).metadata.values[key]
      if metadata.values[key] != wanted {
        problems.append(
          "metadata \(key): \(String(describing: metadata.values[key])), not \(String(describing: wanted))")
      }
    }
    return Array(problems.sorted().prefix(10))
  }
}
