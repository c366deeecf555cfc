import Foundation
import ObjectModel
import SQLiteStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The folder in which a store is built before it takes its place: `<store>.partial/`, beside the target so that the
/// final move is a rename within one file system.
struct StoreBuild {
  /// Metadata key of the digest over everything a store was built from, for `replace: when-changed`.
  static let inputDigestKey = "SeedbedInputDigest"

  let settings: StoreSettings
  /// The temporary folder.
  let folder: String
  /// The store inside it, under its final name, so that the folder of its external data has its final name too.
  let storePath: String

  init(settings: StoreSettings, isDryRun: Bool) throws(RunError) {
    self.settings = settings
    let name = (settings.path as NSString).lastPathComponent
    folder =
      isDryRun
      ? NSTemporaryDirectory() + "/seedbed-" + UUID().uuidString : settings.path + ".partial"
    storePath = folder + "/" + name
    // What an earlier, killed run left behind; the lock says that nobody works on it.
    try? FileManager.default.removeItem(atPath: folder)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw RunError(
        .cannotCreate, code: "store.cannot-create", "cannot create \(folder): \(error.localizedDescription)")
    }
  }

  func discard() { try? FileManager.default.removeItem(atPath: folder) }

  /// The digest that the target was built from, if it was built here.
  var existingInputDigest: (digest: String, identifier: String)? {
    guard FileManager.default.fileExists(atPath: settings.path),
      let metadata = try? StoreMetadata.read(path: settings.path),
      case .string(let digest)? = metadata.values[Self.inputDigestKey]
    else { return nil }
    return (digest, metadata.uuid)
  }

  /// Creates the store, or copies the seed store or, with `replace: never`, the existing one.
  func open(model: ManagedObjectModel, uuid: String) throws -> (store: SQLiteStore, isFresh: Bool) {
    var options = SQLiteStore.Options()
    options.isUnderConstruction = true
    let origin: String?
    if settings.replace == .never, FileManager.default.fileExists(atPath: settings.path) {
      origin = settings.path
    } else {
      origin = settings.seed
    }
    guard let origin else {
      options.uuid = uuid
      options.defersIndexes = true
      return (try SQLiteStore.create(path: storePath, model: model, options: options), true)
    }
    guard FileManager.default.fileExists(atPath: origin) else {
      throw RunError(
        .missingInput, code: "seed.missing", "the seed store \(origin) does not exist",
        hint: "store.seed names it; the path is relative to the pipeline file")
    }
    try StoreCopier.copy(from: origin, to: storePath)
    return (try SQLiteStore.open(path: storePath, model: model, options: options), false)
  }

  /// Moves the sealed store over the target.
  ///
  /// A sealed file is whole by itself, so it is renamed first; sidecars of the previous store would be replayed into
  /// it, so those go before. Between the two steps a crash leaves the previous store without its log only if it had
  /// one that was not checkpointed; to avoid even that, such a log is checkpointed into the previous file first.
  func putInPlace() throws {
    let sidecars = ["-wal", "-shm", "-journal"]
    try StoreCopier.prepareReplacement(of: settings.path)
    for sidecar in sidecars { try remove(settings.path + sidecar) }
    // New sidecars come before the file that needs them.
    for sidecar in sidecars where FileManager.default.fileExists(atPath: storePath + sidecar) {
      try move(storePath + sidecar, to: settings.path + sidecar)
    }
    let oldData = Self.supportFolder(of: settings.path)
    let newData = Self.supportFolder(of: storePath)
    if FileManager.default.fileExists(atPath: newData) {
      try remove(oldData)
      try move(newData, to: oldData)
    }
    try move(storePath, to: settings.path)
    Self.synchronizeFolder((settings.path as NSString).deletingLastPathComponent)
  }

  /// Renames, replacing what is there.
  func move(_ source: String, to target: String) throws(RunError) {
    guard source != target else { return }
    guard unsafe rename(source, target) == 0 else {
      throw RunError(
        .cannotCreate, code: "path.cannot-create", "cannot move \(source) to \(target): \(String(errorCode: errno))")
    }
  }

  private func remove(_ path: String) throws(RunError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw RunError(.cannotCreate, code: "path.cannot-remove", "cannot remove \(path): \(error.localizedDescription)")
    }
  }

  /// Bytes of a store and its sidecars.
  func size(of path: String) -> Int {
    ["", "-wal", "-shm"].reduce(0) { sum, suffix in
      sum + ((try? FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int) ?? 0)
    }
  }

  /// Where Core Data keeps external binary data: `.<name without extension>_SUPPORT` beside the store.
  private static func supportFolder(of path: String) -> String {
    let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    return (path as NSString).deletingLastPathComponent + "/.\(name)_SUPPORT"
  }

  /// Makes renames durable.
  private static func synchronizeFolder(_ path: String) {
    let descriptor = unsafe Foundation.open(path.isEmpty ? "." : path, O_RDONLY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
