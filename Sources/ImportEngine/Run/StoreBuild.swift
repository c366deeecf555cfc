import CoreDataLayout
import Foundation
import ObjectModel
public import Pipelines
import Platform
import PropertyLists
import StoreInterface

/// The folder in which a store is built before it takes its place: `<store>.partial/`, beside the target so that the
/// final move is a rename within one file system.
struct StoreBuild {
  /// Metadata key of the digest over everything a store was built from, for `replace: when-changed`.
  static let inputDigestKey = StorePlace.digestKey

  let settings: StoreSettings
  /// The path of the temporary folder.
  let folder: String
  /// Nil for a dry run, which has a folder elsewhere.
  private let work: WorkFolder?
  /// That of a dry run.
  private let temporary: ScratchFolder?
  /// The store inside it, under its final name, so that the folder of its external data has its final name too.
  let storePath: String
  /// The target as it was when the run began, where its rows are imported into.
  private let targetStamp: StoreStamp?
  /// Whether the target is another program's store, and imported into.
  private let isForeign: Bool
  /// Whether the target itself is written to. A dry run works on a copy all the same.
  let isInPlace: Bool

  init(settings: StoreSettings, isDryRun: Bool) throws(RunError) {
    self.settings = settings
    let name = (settings.path as NSString).lastPathComponent
    do throws(SystemError) {
      temporary = isDryRun ? try ScratchFolder() : nil
    } catch {
      throw RunError(
        .cannotCreate, code: "store.cannot-create", "no folder can be made for the dry run: \(error.reason)",
        hint: "set TMPDIR to a place with space")
    }
    folder = temporary?.path ?? WorkFolder.path(for: settings.path)
    isInPlace = settings.write == .inPlace && !isDryRun
    storePath = isInPlace ? settings.path : folder + "/" + name
    if settings.replace == .never, FileSystem.exists(settings.path) {
      targetStamp = try? StoreStamp.read(path: settings.path)
      isForeign = (try? StorePlace.content(at: settings.path)) == .otherStore
    } else {
      targetStamp = nil
      isForeign = false
    }
    do {
      if !isDryRun, !isInPlace { try WorkFolder.requireRoom(forStoreAt: settings.path) }
      // Leftovers of an earlier, killed run are removed.
      work = isDryRun ? nil : try WorkFolder(for: settings.path)
    } catch let error as StoreError {
      throw RunError(error, path: settings.path)
    } catch {
      throw RunError(
        .cannotCreate, code: "store.cannot-create", "cannot create \(folder): \(error.localizedDescription)")
    }
  }

  func discard() {
    work?.remove()
    temporary?.remove()
  }

  /// The digest that the target was built from, if it was built here.
  /// - Returns: also the reason why the store is not as the run made it; nil when it is.
  var existingInputDigest: (digest: String, identifier: String, difference: String?)? {
    guard FileSystem.exists(settings.path) else { return nil }
    guard let metadata = try? StoreMetadata.read(path: settings.path) else { return ("", "", "it cannot be read") }
    guard case .string(let digest)? = metadata.values[Self.inputDigestKey] else { return nil }
    return (digest, metadata.uuid, ResultProof.difference(settings.path, metadata))
  }

  /// The digest of the inputs in the finished store's metadata.
  func mark(_ digest: InputDigest) -> PropertyListValue {
    .string((isForeign ? StorePlace.importedPrefix : "") + digest.text)
  }

  /// Creates the store, or copies the seed store or, with `replace: never`, the existing one.
  /// - Parameters:
  ///   - author: the author of the run's transactions in the store's history.
  ///   - modelCache: contents of a new store's `Z_MODELCACHE`, when its model was compiled already.
  ///   - memory: bytes that the run may take; a share of it is SQLite's page cache.
  ///   - migrate: migrates the copy of a store at a path to the model, where that is wanted, and says whether it did.
  func open(
    model: ManagedObjectModel, author: String, uuid: String, modelCache: [UInt8]? = nil,
    memory: MemoryBudget = .standard,
    migrate: (String) throws -> Bool = { _ in false }
  ) throws -> (store: SQLiteStore, isFresh: Bool, isMigrated: Bool) {
    var options = SQLiteStore.Options()
    options.isUnderConstruction = !isInPlace
    // In a copy of a seed store, too: an app that had the seed's rows and changes them raises their versions.
    options.raisesOwnersAtEnd = true
    options.forcesCommitsToDisk = isInPlace
    options.cacheKibibytes = memory.pageCache / 1024
    // A store with history records which pipeline changed it, and when.
    options.historyAuthor = author
    options.historyContextName = "seedbed.import"
    options.historyTimestamp = settings.now
    if isInPlace { return (try openTarget(model: model, options), false, false) }
    let origin = settings.origin
    if settings.uuid != nil, origin != nil {
      throw RunError(
        .badPipeline, code: "store.uuid", "store.uuid names the UUID of a new store, and this one is a copy",
        hint: "a copied store keeps its UUID: remove store.uuid")
    }
    options.derivationTimestamp = settings.now
    if settings.framework != nil, origin != nil {
      throw RunError(
        .badPipeline, code: "store.framework", "store.framework is about a new store, and this one is a copy",
        hint: "a copied store keeps its layout: remove store.framework")
    }
    guard let origin else {
      options.uuid = uuid
      if let framework = settings.framework { options.generation = FrameworkGeneration(version: framework) }
      options.defersIndexes = true
      options.tracksHistory = settings.tracksHistory
      options.modelCache = modelCache
      return (try SQLiteStore.create(path: storePath, model: model, options: options), true, false)
    }
    guard FileSystem.exists(origin) else {
      throw RunError.missingSeed(origin)
    }
    do {
      // The copy is checked when it is opened, and forced to disk when it is sealed.
      var copying = StoreCopier.Options()
      copying.isForConstruction = true
      try StoreCopier.copy(from: origin, to: storePath, options: copying)
      let isMigrated = try settings.migratesOrigin && migrate(storePath)
      options.wasSealedHere = (try? StoreMetadata.read(path: storePath))?.values[Self.inputDigestKey] != nil
      return (try SQLiteStore.open(path: storePath, model: model, options: options), false, isMigrated)
    } catch StoreError.notAStore(_, let message) {
      // Errors name the original instead of the copy.
      throw RunError(StoreError.notAStore(path: origin, message: message), path: origin)
    } catch let error as StoreError {
      throw RunError(error, path: origin)
    }
  }

  /// Opens the target itself, in a transaction that lasts until the end of the run.
  private func openTarget(model: ManagedObjectModel, _ options: SQLiteStore.Options) throws -> SQLiteStore {
    guard FileSystem.exists(settings.path) else {
      throw RunError(
        .missingInput, code: "store.missing", "\(settings.path): there is no store to import into in place",
        hint: "write: beside makes one where there is none")
    }
    var options = options
    options.derivationTimestamp = settings.now
    let store = try SQLiteStore.open(path: settings.path, model: model, options: options)
    do { try store.beginWhole() } catch {
      try? store.close()
      throw error
    }
    return store
  }

  /// Closes the store where it is a copy of the target and nothing was written to it.
  /// - Returns: false when it is to be sealed and moved over the target.
  func closeIfUnchanged(_ store: SQLiteStore) throws -> Bool {
    guard let targetStamp, try StoreStamp.read(path: settings.path) == targetStamp else { return false }
    if settings.journal == .wal { return try store.closeIfUntouched(inWriteAheadMode: settings.path) }
    return try store.closeIfUnchanged(from: settings.path)
  }

  /// Puts the sealed store in the target's place, with its external data.
  /// - Throws: `RunError` when a target that was imported into was written to meanwhile: the copy lacks that.
  func put(by placement: FilePlacement) throws {
    try placement.put(store: storePath, at: settings.path) {
      guard let targetStamp, try StoreStamp.read(path: settings.path) != targetStamp else { return }
      throw RunError(
        .locked, code: "store.changed", "\(settings.path) was changed by another process while it was imported into",
        hint: "run again; nothing was replaced")
    }
  }

  /// Bytes of a store and its sidecars.
  func size(of path: String) -> Int {
    Sidecar.files(of: path, Sidecar.ofLog).reduce(externalFiles(of: path).bytes) { sum, file in
      sum + Int(clamping: (try? FileSystem.stamp(file))?.size ?? 0)
    }
  }

  /// How many files of external data a store has, and their bytes.
  func externalFiles(of path: String) -> (count: Int, bytes: Int) {
    let files = ExternalFiles(ofStoreAt: path)
    return (files.count, files.bytes)
  }
}

extension StoreSettings {
  /// The store that a run copies and imports into: the target itself with `replace: never`, else the seed store; nil
  /// when it makes a new one.
  var origin: String? {
    replace == .never && FileSystem.exists(path) ? path : seed
  }

  /// `origin` where there is such a file.
  public var existingOrigin: String? { origin.flatMap { FileSystem.exists($0) ? $0 : nil } }
}
