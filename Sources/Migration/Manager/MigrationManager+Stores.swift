import CoreDataLayout
import Diagnostics
public import Foundation
import ObjectGraph
public import ObjectModel
import Platform
public import StoreInterface

extension MigrationManager {
  /// Brings the objects of a store into another store, which is made, or added to when it is there: several mapping
  /// models may bring parts of a graph over in turn.
  ///
  /// The result is made beside the destination and takes its place at the end in one step. After any error, the source
  /// and the destination are unchanged. The next migration removes the leftovers of one that was killed.
  /// - Parameters:
  ///   - sourceURL: the store whose objects are brought over.
  ///   - sourceType: the type of that store.
  ///   - sourceOptions: the type's own options; see `PersistentStoreDescription.options`.
  ///   - mapping: how the objects are mapped.
  ///   - destinationURL: the store that gets them.
  ///   - destinationType: the type of that store.
  ///   - destinationOptions: its type's own options.
  /// - Throws: `MigrationError` that names the mapping, entity, property and object where there is one.
  public func migrateStore(
    from sourceURL: URL, type sourceType: some PersistentStoreType, options sourceOptions: [String: Value] = [:],
    mapping: MappingModel, to destinationURL: URL, type destinationType: some PersistentStoreType,
    options destinationOptions: [String: Value] = [:]
  ) throws {
    guard sourceURL.resolvingSymlinksInPath() != destinationURL.resolvingSymlinksInPath() else {
      throw MigrationError(
        .destinationStore, "\(destinationURL.path) is the source itself",
        hint: "migrate to another place, and replace the store then")
    }
    let source = MigrationStore(type: sourceType, url: sourceURL, options: sourceOptions)
    let destination = MigrationStore(type: destinationType, url: destinationURL, options: destinationOptions)
    try destination.replacing { partial in
      if FileSystem.exists(destinationURL.path) { try destination.copy(to: partial) }
      try migrate(mapping, from: source, into: partial)
    }
  }

  /// Carries out a mapping model from one store straight into another.
  /// - Returns: the work that was asked of both stores.
  @discardableResult
  func migrate(
    _ mapping: MappingModel, from source: MigrationStore, into destination: MigrationStore
  ) throws -> StoreCounts {
    guard FileSystem.exists(source.url.path) else {
      throw MigrationError(.sourceStore, "\(source.url.path): there is no such store")
    }
    let from = try source.open(sourceModel, isReadOnly: true)
    defer { try? from.closeStores() }
    try requireReadableValues(mapping, source)
    do {
      let to = try destination.open(destinationModel, isReadOnly: false, like: source)
      do {
        try migrate(mapping, from: from, to: to)
      } catch {
        try? to.closeStores()
        throw error
      }
      let work = from.storeWork + to.storeWork
      try to.closeStores()
      return work
    } catch {
      throw destination.misread(error)
    }
  }
}

extension MigrationManager {
  /// Refuses values that would silently be read as other values than the file has.
  private func requireReadableValues(_ mapping: MappingModel, _ source: MigrationStore) throws {
    guard source.type is SQLitePersistentStoreType else { return }
    let found = try StoreChecker.misplacedValues(
      path: source.url.path, model: sourceModel,
      entities: Set(mapping.entityMappings.compactMap(\.sourceEntityName)))
    guard let first = found.first else { return }
    let texts = found.prefix(10).map { finding in
      let rows = finding.count.counted("row")
      return finding.message + " (\(rows)\(finding.exampleKey.map { ", for instance \($0)" } ?? ""))"
    }
    throw MigrationError(
      .value, texts.joined(separator: "; "), hint: first.code.advice)
  }
}

/// A store that a migration reads or writes.
struct MigrationStore {
  var type: any PersistentStoreType
  var url: URL
  var options: [String: Value] = [:]

  /// Opens the store.
  /// - Parameter original: the store whose own metadata and history a new store gets.
  func open(
    _ model: ManagedObjectModel, isReadOnly: Bool, like original: MigrationStore? = nil
  ) throws(MigrationError) -> PersistentStoreCoordinator {
    do {
      let description = PersistentStoreDescription(type: AnyStoreType(type), url: url)
      description.isReadOnly = isReadOnly
      description.typeOptions = options
      description.shouldMigrateStoreAutomatically = false
      let isNew = !FileSystem.exists(url.path)
      if isNew, let original { description.tracksHistory = original.hasHistory }
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(with: description)
      if isNew, let original, type.name == original.type.name, let store = store as? any MetadataInheriting {
        try store.inheritMetadata(ofStoreAt: original.url)
      }
      return coordinator
    } catch {
      throw MigrationError(
        isReadOnly ? .sourceStore : .destinationStore, "\(url.path) cannot be opened: \(error)", underlying: error)
    }
  }

  /// Whether the store was made with a model, by its version hashes.
  func isOf(_ model: ManagedObjectModel) -> Bool {
    let hashes = (try? type.metadata(at: url))?[StoreMetadataKey.modelVersionHashes] as? [String: Data]
    return hashes == model.entityVersionHashesByName
  }

  private var hasHistory: Bool {
    type is SQLitePersistentStoreType && (try? StoreInspection.read(path: url.path).hasHistory) == true
  }

  /// An error of work on a store that the migration itself made: a damaged file then means that the disk failed.
  func misread(_ error: any Error) -> any Error {
    let known = error as? StoreError ?? (error as? MigrationError)?.underlyingError as? StoreError
    guard case .notAStore(url.path, let message)? = known else { return error }
    return StoreError.inputOutput(path: url.path, message: "what was written cannot be read again: \(message)")
  }

  /// Copies the store, which stays as it is, to where there is none.
  func copy(to place: MigrationStore) throws {
    guard type is SQLitePersistentStoreType else { return try type.replace(at: place.url, with: url) }
    // It is forced to disk with the result, and is not marked as a copy, since it becomes the store itself.
    var options = StoreCopier.Options(journal: .wal, replace: .always)
    options.isForConstruction = true
    try StoreCopier.copy(from: url.path, to: place.url.path, options: options)
  }

  /// A store for a step in between, of the same name in a folder beside this one's.
  func numbered(_ index: Int) -> MigrationStore {
    var store = self
    store.url = url.deletingLastPathComponent().appendingPathComponent("step\(index + 1)")
      .appendingPathComponent(url.lastPathComponent)
    return store
  }

  /// Has a store made beside this one, which then takes its place in one step. Its permissions and a symbolic link to
  /// it stay.
  /// - Throws: what the work throws; `MigrationError` where the store cannot be put in place. This store is what it was
  ///   then.
  func replacing(_ work: (MigrationStore) throws -> Void) throws {
    let place = URL(fileURLWithPath: ResultPath.followed(url.path))
    try requireReplaceable(place)
    let folder: WorkFolder
    do {
      folder = try WorkFolder(for: place.path)
    } catch {
      throw nothingBeside(error)
    }
    defer { folder.remove() }
    // Taken before the work begins, to notice writes of other programs.
    let stamp = try StoreStamp.read(path: place.path)
    // Under its own name, on which the name of the folder of its external data depends.
    let partial = URL(fileURLWithPath: folder.path).appendingPathComponent(place.lastPathComponent)
    let result = MigrationStore(type: type, url: partial, options: options)
    do {
      try work(result)
    } catch let error as StoreError {
      throw error.naming(url.path, insteadOf: partial.path)
    }
    try requirePlace(forFilesOf: result)
    do {
      if FileSystem.exists(place.path) { try FileSystem.copyPermissions(of: place.path, to: partial.path) }
      if type is SQLitePersistentStoreType {
        try StoreReplacement.copyJournalMode(from: place.path, at: partial.path)
        try StoreReplacement.replace(target: place.path, with: partial.path) {
          try requireUnchanged(place, since: stamp)
        }
      } else {
        try requireUnchanged(place, since: stamp)
        try type.replace(at: place, with: partial)
      }
    } catch let error as MigrationError {
      throw error
    } catch {
      throw MigrationError(
        .destinationStore, "the migrated store cannot be put in place at \(url.path): \(error)",
        underlying: (result.misread(error) as? StoreError)?.naming(url.path, insteadOf: partial.path) ?? error)
    }
  }
}

extension MigrationStore {
  /// - Throws: where another program wrote to the store, which the result knows nothing of.
  private func requireUnchanged(_ place: URL, since stamp: StoreStamp) throws {
    if try StoreStamp.read(path: place.path) == stamp { return }
    throw MigrationError(
      .changedStore, "\(url.path) was changed by another program while it was migrated",
      hint: "close the app that has it open, and migrate again; nothing was replaced")
  }

  /// - Throws: where another file cannot take the place of this one without a change of what it is to others.
  func requireReplaceable(_ place: URL) throws {
    guard FileSystem.exists(place.path) else { return }
    if !FileManager.default.isWritableFile(atPath: place.deletingLastPathComponent().path) {
      throw MigrationError(
        .destinationStore, "nothing can be made beside \(url.path): its folder may not be written to",
        hint: "give the folder permission, or migrate a copy elsewhere")
    }
    if !FileManager.default.isWritableFile(atPath: place.path) {
      throw MigrationError(
        .destinationStore, "\(url.path) may not be written to", hint: "migrate a copy of it, or give it permission")
    }
    if try !StoreFiles.isReplaceable(place.path) {
      throw MigrationError(
        .destinationStore,
        "\(url.path) has several names (hard links) or another owner, so that no new file can take its place",
        hint: "migrate a copy of it; one inferred step at a time is done in the file itself")
    }
    do {
      try WorkFolder.requirePlace(for: place.path)
      if type is SQLitePersistentStoreType { try WorkFolder.requireRoom(forStoreAt: place.path) }
    } catch {
      throw nothingBeside(error)
    }
  }

  /// - Throws: where files of the result's external data cannot be put beside this store.
  func requirePlace(forFilesOf result: MigrationStore) throws {
    guard type is SQLitePersistentStoreType, try ExternalDataFolder(storePath: result.url.path).hasFiles else { return }
    try ExternalDataFolder(storePath: url.path).requireWritable()
  }

  private func nothingBeside(_ error: any Error) -> MigrationError {
    MigrationError(.destinationStore, "nothing can be made beside \(url.path): \(error)", underlying: error)
  }
}

/// A store type whose type is only known at run time.
struct AnyStoreType: PersistentStoreType {
  let type: any PersistentStoreType

  init(_ type: any PersistentStoreType) { self.type = type }

  var name: String { type.name }
  func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    try type.load(description, model: model)
  }
  func metadata(at url: URL) throws -> [String: any Sendable] { try type.metadata(at: url) }
  func replaceMetadata(at url: URL, with values: [String: Any]) throws {
    try type.replaceMetadata(at: url, with: values)
  }
  func destroy(at url: URL) throws { try type.destroy(at: url) }
  func replace(at url: URL, with source: URL) throws { try type.replace(at: url, with: source) }
}

extension PersistentStoreCoordinator {
  /// Takes all stores away and closes them.
  func closeStores() throws {
    for store in persistentStores { try remove(store) }
  }
}
