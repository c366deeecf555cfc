import CoreDataLayout
import ObjectModel
import SeedFormats

/// The parts of a store that its restored twin will lack: references that lead nowhere, and values whose files are
/// gone. They are kept in a file beside the entities', one JSON object each; there is none when nothing is left out.
final class LeftOutFile {
  static let baseName = "left-out"
  static let fileName = baseName + ".ndjson"

  private let path: String
  private var writer: NDJSONWriter?
  /// Keys of rows whose foreign key leads nowhere, by relationship.
  private var dangling: [Relationship: Set<Int64>] = [:]
  /// References that lead nowhere.
  private(set) var danglingCount = 0
  /// Values whose files are gone.
  private(set) var missingCount = 0
  /// The first of these, in words.
  private(set) var missing: [String] = []
  private var failure: (any Error)?

  init(folder: String) { path = folder + "/" + Self.fileName }

  /// Writes all references of a store that lead nowhere.
  func addDanglingReferences(of store: SQLiteStore, keyField: String) throws {
    try store.forEachDanglingReference { reference in
      let relationship = reference.relationship
      if !relationship.isToMany, let owner = reference.owner { dangling[relationship, default: []].insert(owner) }
      danglingCount += 1
      let writer = try open()
      writer.beginObject()
      writer.key(keyField)
      Self.write(reference.owner, of: relationship.entity, to: writer)
      writer.key("relationship")
      writer.string(relationship.name)
      writer.key("destination")
      Self.write(reference.destination, of: relationship.destination, to: writer)
      writer.key("missing")
      writer.string(reference.hasOwner ? "destination" : reference.hasDestination ? "owner" : "both")
      writer.endObject()
      try writer.endRecord()
    }
  }

  private static func write(_ key: Int64?, of entity: Entity, to writer: NDJSONWriter) {
    if let key { writer.string(DumpPlan.key(entity, key)) } else { writer.null() }
  }

  /// Whether a row's to-one relationship leads nowhere.
  func isDangling(_ relationship: Relationship, _ key: Int64) -> Bool {
    if danglingCount == 0 { return false }
    let declared = relationship.declaringEntity.relationship(relationship.name) ?? relationship
    return dangling[declared]?.contains(key) == true
  }

  /// Notes a value whose file is gone. `finish` throws errors of writing.
  func addMissing(_ name: String, _ attribute: String, of entity: Entity, _ key: Int64, keyField: String) {
    missingCount += 1
    if missing.count < 20 { missing.append("\(entity.name).\(attribute) of row \(key): the file \(name) is missing") }
    do {
      let writer = try open()
      writer.beginObject()
      writer.key(keyField)
      writer.string(DumpPlan.key(entity, key))
      writer.key("attribute")
      writer.string(attribute)
      writer.key("file")
      writer.string(name)
      writer.endObject()
      try writer.endRecord()
    } catch {
      failure = failure ?? error
    }
  }

  func finish() throws {
    if let failure { throw failure }
    try writer?.finish()
  }

  private func open() throws -> NDJSONWriter {
    if let writer { return writer }
    let new = NDJSONWriter(sink: try FileSink.open(path: path))
    writer = new
    return new
  }
}
