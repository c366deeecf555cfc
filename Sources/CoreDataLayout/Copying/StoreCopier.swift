import Foundation
import Platform
import PropertyLists
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
    /// Replaces a target that was not made here, too. Otherwise only earlier results are replaced.
    public var replacesForeign = false
    /// All options by name.
    public init(
      journal: SealedJournal = .delete, seedVersion: Int? = nil, replace: Replace = .whenNewer,
      replacesForeign: Bool = false
    ) {
      self.journal = journal
      self.seedVersion = seedVersion
      self.replace = replace
      self.replacesForeign = replacesForeign
    }
  }

  /// Whether the target was written, or one that was there was kept.
  public enum Outcome: Sendable, Hashable {
    case copied
    /// The target was there and was not to be replaced; its seed version, when it has one.
    case kept(seedVersion: Int?)
  }

  /// Copies `source`, a Core Data store, to `target`. The copy is made beside the target and renamed.
  /// The target's folder is made when there is none. Killed at any time, the target is the old store or the new one,
  /// whole.
  /// - Throws: `StoreError.busy` when the source is being written to or the target is in use, `.missing` or
  ///   `.notAStore` when the source cannot be read or is none of Core Data's, `.cannotCreate` when the target cannot be
  ///   made or is something that was not made here.
  @discardableResult
  public static func copy(from source: String, to target: String, options: Options = Options()) throws -> Outcome {
    try StoreFiles.requireFile(source)
    guard try StoreFiles.isDatabaseOrEmpty(source) else {
      throw StoreError.notAStore(path: source, message: "file is not a database")
    }
    if let identity = FileIdentity(source), identity == FileIdentity(target) {
      throw StoreError.cannotCreate(path: target, message: "is the source itself")
    }
    if let kept = try decide(target, options) { return kept }
    if !options.isForConstruction { try StoreCopierNames.check(target, source: source, options) }
    try StoreFiles.createParent(of: target)
    if options.isForConstruction {
      try copy(from: source, inPlaceAt: target, options)
      return .copied
    }
    let place = ResultPath.followed(target)
    try WorkFolder.requireRoom(forStoreAt: place)
    let work = try WorkFolder(for: place)
    defer { work.remove() }
    // Under its final name, on which the name of the folder of its external data depends.
    let partial = work.path + "/" + (place as NSString).lastPathComponent
    try copy(from: source, inPlaceAt: partial, options)
    try StoreReplacement.replace(target: place, with: partial)
    return .copied
  }

  /// - Parameter target: where nothing is yet.
  private static func copy(from source: String, inPlaceAt target: String, _ options: Options) throws {
    do {
      try StoreFiles.copyWithLog(from: source, to: target, synchronizes: !options.isForConstruction)
      try finish(target, from: source, options)
      try copyExternalData(from: source, to: target)
      if !options.isForConstruction { try requireExternalFiles(of: target, source: source) }
    } catch let error as SQLiteError {
      throw StoreError(error, path: source)
    }
  }

  /// Whether an existing target stays; nil when it is to be replaced, or there is none.
  private static func decide(_ target: String, _ options: Options) throws -> Outcome? {
    let content = try StorePlace.content(at: target)
    if content == .nothing { return nil }
    if content.isReplaceable {
      if content == .earlierStore || (content == .otherStore && !options.replacesForeign) || options.replace == .never {
        let present = (try? StoreMetadata.read(path: target))?.seedVersion
        let isNewer = options.seedVersion.map { $0 > present ?? 0 } ?? false
        if options.replace == .never || (options.replace == .whenNewer && !isNewer) {
          return .kept(seedVersion: present)
        }
      }
      if options.replacesForeign || content == .earlierStore { return nil }
    }
    throw StoreError.cannotCreate(path: target, message: "is " + (content.text ?? "there"))
  }

  /// Moves the log of the copy into its main file and sets what the options ask for.
  private static func finish(_ path: String, from source: String, _ options: Options) throws {
    let connection = try Connection(path: path)
    try connection.logStatements()
    try connection.limitWork(forFileOf: try StoreFiles.byteCount(path))
    try connection.execute("PRAGMA synchronous = " + (options.isForConstruction ? "OFF" : "FULL"))
    // Reading makes SQLite roll back a left-over journal or recover the log.
    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    try StoreFiles.requireWholePages(path, connection, copiedFrom: source)
    // A copy of a damaged store must not take a sound one's place.
    do {
      if !options.isForConstruction, let problem = try connection.string("PRAGMA quick_check(1)"), problem != "ok" {
        try connection.requireReadable()
        throw StoreError.notAStore(path: source, message: "it is damaged: \(problem)")
      }
    } catch let error as SQLiteError where [.tooBig, .error].contains(error.code) {
      throw StoreError.notAStore(path: source, message: "it cannot be checked: \(error.message)")
    }
    guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'Z_METADATA'") == 1 else {
      throw StoreError.notAStore(path: source, message: "there is no table Z_METADATA")
    }
    if !options.isForConstruction { try mark(connection, options) }
    if try connection.isWriteAheadLogged { try connection.checkpoint(.truncate) }
    let mode = try connection.string("PRAGMA journal_mode = " + options.journal.rawValue)
    guard mode == options.journal.rawValue else { throw StoreError.busy(path: path) }
    if options.journal == .wal {
      try connection.setKeepsWriteAheadLog(true)
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    }
    try connection.close()
    if !options.isForConstruction { try StoreFiles.synchronize(path) }
  }

  /// Notes in the metadata that the store is a copy, so that a later one may take its place, and the seed version.
  private static func mark(_ connection: Connection, _ options: Options) throws {
    var metadata: StoreMetadata
    do {
      metadata = try StoreMetadata(connection)
    } catch let error as StoreError {
      // Metadata that cannot be read are copied as they are, as everything else.
      if options.seedVersion != nil { throw error }
      return
    }
    let before = metadata
    if !StorePlace.isOurs(metadata) {
      metadata.values[StorePlace.digestKey] = .string(StorePlace.copiedDigest)
    }
    if let seedVersion = options.seedVersion { metadata.seedVersion = seedVersion }
    if metadata != before { try metadata.write(to: connection) }
  }

  // MARK: - External data

  /// A copy without its files must not take the place of a store that has them.
  /// - Throws: `StoreError.notAStore` that names the source.
  private static func requireExternalFiles(of target: String, source: String) throws {
    let there = Set(try ExternalDataFolder(storePath: target).openData()?.names() ?? [])
    let missing = try StorePlace.externalFiles(of: target).filter { !there.contains($0) }
    guard let first = missing.first else { return }
    throw StoreError.notAStore(
      path: source,
      message: "it lacks \(missing.count == 1 ? "a file" : "\(missing.count) files") of external data, \(first)"
        + (missing.count == 1 ? "" : " for one"))
  }

  /// Copies the files of the source's external data: all that are there, or those that its rows name where another
  /// store has its files in the same folder.
  /// - Throws: `StoreError.inputOutput` when one is no regular file in the folder, but a symbolic link for instance.
  private static func copyExternalData(from source: String, to target: String) throws {
    guard let from = try ExternalDataFolder(storePath: source).openData() else { return }
    var names = try from.names().filter { ExternalDataFolder.isFileName($0) }
    if !ExternalDataFolder.others(besides: source).isEmpty {
      let named = Set(try ExternalDataFolder.files(of: target))
      names.removeAll { !named.contains($0) }
    }
    if names.isEmpty { return }
    let to = try ExternalDataFolder(storePath: target).makeData()
    for name in names { try from.copy(name, to: to.path + "/" + name) }
    try to.synchronize()
  }
}
