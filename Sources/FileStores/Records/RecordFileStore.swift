import Foundation
import MemoryStore
public import ObjectModel
import Platform
import Predicates
public import StoreInterface

/// A folder with one CSV, NDJSON or JSON file per entity, as a store: the working example of an incremental store.
///
/// A file is named after its entity and has a column for every stored attribute, for every to-one relationship, and for
/// those to-many relationships that no to-one relationship says: many-to-many (on the side that comes first by name, or
/// is ordered), without inverse, and ordered ones. A reference is the key of its destination: the value of the
/// attribute in the first uniqueness constraint of one attribute, or of the one that the option `key.<Entity>` names; a
/// list of references is a JSON array. Columns may stand in any order, and those that are missing have no values. A
/// missing file has no records. Dates are ISO 8601 in UTC, or seconds since 2001-01-01T00:00:00Z where that would lose
/// something; binary values are Base64. `store.json` says which store it is.
///
/// All files are read when the store is loaded; a save writes those that changed, each in one step. Should the machine
/// stop between two files, some are new and some are old. Files that another process changed are never overwritten.
/// Comments and the order of columns are not kept; the order of records is. Derived attributes are computed, whatever a
/// file says of them, and all but those of `now()` are written without values. Attributes of undefined and object id
/// type are not supported, nor are relationships to entities without a key.
public final class RecordFileStore: IncrementalStore, @unchecked Sendable {
  /// How the files are written.
  public let format: RecordFileFormat
  private let folderPath: String
  private var folder: RecordFolder
  private var objects: InMemoryStore
  /// The number of the next new object that has no key.
  private var nextNumber: Int64 = 0

  /// A store that is not loaded yet.
  /// - Throws: `StoreError.unsupported` without a URL, and for a model that record files cannot hold.
  public init(description: PersistentStoreDescription, model: ManagedObjectModel, format: RecordFileFormat) throws {
    guard let path = description.url?.path else {
      throw StoreError.unsupported("a folder of record files needs a URL")
    }
    let metadata = RecordFolderMetadata.fileName
    if let entity = model.entities.first(where: { RecordFolder.name($0.name, format).lowercased() == metadata }) {
      throw StoreError.unsupported("the file of \(entity.name) would be \(metadata), which says which store it is")
    }
    self.format = format
    folderPath = path
    folder = RecordFolder(
      path: path, layout: try RecordLayout(model, format: format, options: description.typeOptions))
    objects = InMemoryStore(model: model)
    try super.init(description: description, model: model)
  }

  /// Reads `store.json`, or makes it with the folder. A read-only folder without one gets an identity for the time that
  /// it is open.
  /// - Throws: `StoreError.missing` when there is no folder and the store is read-only, `.notAStore`.
  public override func loadMetadata() throws -> Metadata {
    let isThere = FileSystem.exists(folderPath)
    if isThere && !FileSystem.isFolder(folderPath) {
      throw StoreError.notAStore(path: folderPath, message: "it is no folder")
    }
    if !isThere && isReadOnly { throw StoreError.missing(path: folderPath) }
    if let found = try RecordFolderMetadata.read(folder: folderPath) {
      guard found.format == format.rawValue else {
        throw StoreError.notAStore(
          path: folderPath, message: "its files are \(found.format), not \(format.rawValue)")
      }
      return Metadata(identifier: found.identifier, versionHashes: found.versionHashes)
    }
    let identifier = UUID()
    if !isReadOnly {
      try RecordFolderMetadata(
        identifier: identifier, format: format.rawValue, versionHashes: model.entityVersionHashesByName
      ).write(folder: folderPath)
    }
    return Metadata(identifier: identifier)
  }

  /// Reads all files.
  /// - Throws: `StoreError.notAStore` with file and line of the first mistake.
  public override func prepare() throws {
    var taken = Set<ObjectID>()
    let contents = try folder.read(identifier: UUID(uuidString: identifier) ?? UUID()) { entity, reference in
      let id = newObjectID(for: entity, referenceObject: reference)
      if taken.insert(id).inserted { return id }
      // The same key again, which no constraint forbids: the next number identifies the object instead.
      nextNumber += 1
      let other = newObjectID(for: entity, referenceObject: .integer(-nextNumber))
      taken.insert(other)
      return other
    }
    nextNumber = Int64(contents.snapshots.count)
    objects = try StoreError.naming(folderPath) { try InMemoryStore(model: model, contents: contents) }
  }

  /// The objects that a request selects.
  public override func execute(_ request: FetchSpecification) throws -> [ObjectID] { try objects.objectIDs(request) }

  /// The rows of a request for dictionaries.
  public override func executeForRows(_ request: FetchSpecification) throws -> FetchedRows { try objects.rows(request) }

  /// The values of an object.
  public override func newValues(for objectID: ObjectID) throws -> IncrementalStoreNode? {
    var request = FetchSpecification(objectID.entity)
    request.predicate = .selfIsIn([objectID])
    return try objects.snapshots(request).first.map { IncrementalStoreNode($0) }
  }

  /// The members of a to-many relationship.
  public override func newValue(for relationship: Relationship, of owner: ObjectID) throws -> [ObjectID] {
    try objects.members(of: owner, relationship: relationship)
  }

  /// The keys of new objects, numbers for those that have none.
  public override func obtainPermanentIDs(for objects: [Snapshot]) throws -> [ReferenceObject] {
    objects.map { reference(of: $0) }
  }

  /// Writes the files whose records change.
  public override func execute(_ request: SaveRequest) throws {
    try objects.save(request) { try folder.write($0) }
    setReferenceObjects(
      request.updated.compactMap { snapshot in
        guard let key = folder.layout.keyText(of: snapshot, in: snapshot.objectID.entity),
          referenceObject(for: snapshot.objectID) != .string(key)
        else { return nil }
        return (snapshot.objectID, .string(key))
      })
  }

  private func reference(of snapshot: Snapshot) -> ReferenceObject {
    if let key = folder.layout.keyText(of: snapshot, in: snapshot.objectID.entity) { return .string(key) }
    nextNumber += 1
    return .integer(nextNumber)
  }
}
