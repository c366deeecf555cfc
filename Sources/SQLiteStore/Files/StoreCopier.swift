import Foundation
import SQLite
import StoreInterface

/// Copies a store with its sidecars to a new place, so that no committed row is lost and the source stays as it is.
public enum StoreCopier {
  /// How a store is copied.
  public struct Options: Sendable {
    /// When an existing target is replaced.
    public enum Replace: Sendable, Hashable {
      case always, never
      /// Only when `seedVersion` is greater than the one recorded in the target; a target without one counts as 0.
      case whenNewer
    }
    /// `delete` makes one sealed file, `wal` three files.
    public var journal = SealedJournal.delete
    /// Recorded in the copy's metadata under `StoreMetadata.seedVersionKey`.
    public var seedVersion: Int?
    /// What happens to a target that is there.
    public var replace = Replace.whenNewer
    /// The copy is opened as a store under construction, which checks it, and is forced to disk when it is sealed:
    /// neither is done here.
    public var isForConstruction = false
    /// All options by name.
    public init(journal: SealedJournal = .delete, seedVersion: Int? = nil, replace: Replace = .whenNewer) {
      self.journal = journal
      self.seedVersion = seedVersion
      self.replace = replace
    }
  }

  /// What happened.
  public enum Outcome: Sendable, Hashable {
    case copied
    /// The target was there and was not to be replaced; its seed version, when it has one.
    case kept(seedVersion: Int?)
  }

  /// Copies `source`, any database that SQLite opens, to `target`. The copy is made beside the target and renamed.
  /// The target's folder is made when there is none. Killed at any time, the target is the old store or the new one, whole.
  /// - Throws: `StoreError.busy` when somebody writes to the source or uses the target, `.missing` or `.notAStore`
  ///   when the source cannot be read, `.cannotCreate` when the target cannot be made, `.unsupported` when a seed version is given and the source has no metadata.
  @discardableResult
  public static func copy(from source: String, to target: String, options: Options = Options()) throws -> Outcome {
    try FileSystem.requireFile(source)
    guard try FileSystem.isDatabaseOrEmpty(source) else {
      throw StoreError.notAStore(path: source, message: "file is not a database")
    }
    if try FileSystem.stamp(source) == FileSystem.stamp(target) {
      throw StoreError.cannotCreate(path: target, message: "is the source itself")
    }
    if FileSystem.exists(target), let kept = try decide(target, options) { return kept }
    try FileSystem.createParent(of: target)
    // Its support folder is told from that of any other store by the whole name.
    let partial = target + ".copying.partial"
    for suffix in [""] + PrivateView.sidecarSuffixes { try FileSystem.remove(partial + suffix) }
    try removeExternalData(of: partial)
    do {
      try PrivateView.copyTriple(from: source, to: partial, synchronizes: !options.isForConstruction)
      try finish(partial, options)
      try copyExternalData(from: source, to: partial)
      try StoreReplacement.replace(target: target, with: partial, synchronizes: !options.isForConstruction)
      return .copied
    } catch {
      for suffix in [""] + PrivateView.sidecarSuffixes { try? FileSystem.remove(partial + suffix) }
      try? removeExternalData(of: partial)
      if let error = error as? SQLiteError { throw StoreError(error, path: source) }
      throw error
    }
  }

  /// Whether an existing target stays; nil when it is to be replaced.
  private static func decide(_ target: String, _ options: Options) throws -> Outcome? {
    guard try FileSystem.isDatabaseOrEmpty(target) else {
      throw StoreError.cannotCreate(path: target, message: "is there and is no SQLite database")
    }
    if options.replace == .always { return nil }
    let present = (try? StoreMetadata.read(path: target))?.seedVersion
    if options.replace == .whenNewer, let wanted = options.seedVersion, wanted > present ?? 0 { return nil }
    return .kept(seedVersion: present)
  }

  /// Moves the log of the copy into its main file and sets what the options ask for.
  private static func finish(_ path: String, _ options: Options) throws {
    let connection = try Connection(path: path)
    try connection.limitWork(toSteps: 50_000_000 + 2_000 * Int64(try PrivateView.byteCount(path)))
    try connection.execute("PRAGMA synchronous = " + (options.isForConstruction ? "OFF" : "FULL"))
    // Reading makes SQLite roll back a left-over journal or recover the log.
    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    // A copy of a damaged store must not take a sound one's place.
    do {
      if !options.isForConstruction, let problem = try connection.string("PRAGMA quick_check(1)"), problem != "ok" {
        try connection.requireReadable()
        throw StoreError.notAStore(path: path, message: "it is damaged: \(problem)")
      }
    } catch let error as SQLiteError where [.tooBig, .error].contains(error.code) {
      throw StoreError.notAStore(path: path, message: "it cannot be checked: \(error.message)")
    }
    if let seedVersion = options.seedVersion {
      guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'Z_METADATA'") == 1 else {
        throw StoreError.unsupported("a seed version needs a store with metadata, and \(path) has none")
      }
      var metadata = try StoreMetadata(connection)
      metadata.seedVersion = seedVersion
      try metadata.write(to: connection)
    }
    if try connection.string("PRAGMA journal_mode") == "wal" { try connection.checkpoint(.truncate) }
    let mode = try connection.string("PRAGMA journal_mode = " + options.journal.rawValue)
    guard mode == options.journal.rawValue else { throw StoreError.busy(path: path) }
    if options.journal == .wal {
      try connection.setKeepsWriteAheadLog(true)
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    }
    try connection.close()
    if !options.isForConstruction { try FileSystem.synchronize(path) }
  }

  // MARK: external data

  /// Copies the files of the source's external data.
  /// - Throws: `StoreError.inputOutput` when one is no regular file in the folder, but a symbolic link for instance.
  private static func copyExternalData(from source: String, to target: String) throws {
    guard let from = try ExternalDataFolder(storePath: source).openData() else { return }
    let names = try from.names().filter { ExternalDataFolder.isFileName($0) }
    if names.isEmpty { return }
    let to = try ExternalDataFolder(storePath: target).makeData()
    for name in names { try from.copy(name, to: to.path + "/" + name) }
    try to.synchronize()
  }

  /// Removes what a copy that was cut short left.
  private static func removeExternalData(of path: String) throws {
    let external = ExternalDataFolder(storePath: path)
    guard let folder = try external.openData() else { return }
    for name in try folder.names() where ExternalDataFolder.isFileName(name) { try folder.remove(name) }
    external.removeIfEmpty()
  }
}
