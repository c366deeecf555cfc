public import Foundation
public import ObjectModel
import Synchronization

/// Where a store is, of what type it is, and how it is opened.
///
/// A class, as in Core Data, so that `container.persistentStoreDescriptions.first?.isReadOnly = true` changes the
/// container's own. Its settings are members: `description.url`. It may be used from any thread, each setting by
/// itself; what is set once the store is open changes nothing.
@dynamicMemberLookup
public final class PersistentStoreDescription: Sendable {
  /// What a description says.
  public struct Settings: Sendable {
    /// How stores of this kind are opened, removed and replaced.
    public var type: any PersistentStoreType
    /// The store's file; nil for stores without one. An SQLite store at `/dev/null` is kept in memory.
    public var url: URL?
    /// The model's configuration whose entities the store holds; nil for all entities.
    public var configuration: String?
    /// Whether every save is refused: new objects go to the next store that holds their entity, and a file that is not
    /// there is an error. Otherwise the file is made.
    public var isReadOnly = false
    /// SQLite: how long an operation waits for another process's lock before it fails as busy, in seconds.
    public var timeout: TimeInterval = 5
    /// SQLite and in memory: whether a new store keeps persistent history. A store that has history tables goes on
    /// keeping it either way.
    public var tracksHistory = false
    /// SQLite and in memory: whether `PersistentStoreCoordinator.remoteChangeNotification` is posted after every write
    /// to the store, by this process or another. Nothing is watched otherwise.
    public var postsRemoteChanges = false
    /// SQLite: pragmas that are set when the store is opened, by their names: `journal_mode` (of a file that is not
    /// read-only), `synchronous`, `cache_size`, `temp_store`, `wal_autocheckpoint`, `secure_delete`, `fullfsync`,
    /// `checkpoint_fullfsync`. Others, and values that could lose data, are refused when it is opened. They are those
    /// of the connection that writes; others that read beside it have the size of the cache only.
    public var sqlitePragmas: [String: String] = [:]
    /// SQLite: whether the file is written anew when it is opened, without free pages (`VACUUM`). Not for a read-only
    /// one; it fails as busy while another connection reads it.
    public var vacuumsWhenOpened = false
    /// SQLite: whether statistics for the choice of indexes are made when the file is opened (`ANALYZE`). Not for a
    /// read-only one.
    public var analyzesWhenOpened = false
    /// Whether `loadPersistentStores` opens the store on another thread and calls back from there.
    public var shouldAddStoreAsynchronously = false
    /// Whether a store that was made with an older model is brought to the container's when it is loaded. It needs a
    /// migrator (`StoreMigrating`), which the containers of the module `Seedbed` have. Otherwise loading such a store
    /// is an error.
    public var shouldMigrateStoreAutomatically = true
    /// Whether a mapping between two models may be inferred for that where no mapping model is found.
    public var shouldInferMappingModelAutomatically = true
    /// The migrator of this store; nil: the coordinator's migrator for all its stores.
    public var migrator: (any StoreMigrating)?
    /// Further options of a store type, by names that it documents. Types ignore other names.
    public var typeOptions: [String: Value] = [:]
  }

  private let settings: Mutex<Settings>

  /// A store of that type at that place.
  public init(type: some PersistentStoreType, url: URL? = nil, configuration: String? = nil) {
    settings = Mutex(Settings(type: type, url: url, configuration: configuration))
  }

  /// Another description that says the same.
  public init(_ description: PersistentStoreDescription) {
    settings = Mutex(description.settings.withLock { $0 })
  }

  /// Another description that says the same.
  public func copy() -> Any { PersistentStoreDescription(self) }

  // The settings that Core Data's code also names in extensions, where dynamic members have to be asked of `self`.

  /// `Settings.type`
  public var type: any PersistentStoreType {
    get { self[dynamicMember: \.type] }
    set { self[dynamicMember: \.type] = newValue }
  }
  /// `Settings.url`
  public var url: URL? {
    get { self[dynamicMember: \.url] }
    set { self[dynamicMember: \.url] = newValue }
  }
  /// `Settings.configuration`
  public var configuration: String? {
    get { self[dynamicMember: \.configuration] }
    set { self[dynamicMember: \.configuration] = newValue }
  }
  /// `Settings.isReadOnly`
  public var isReadOnly: Bool {
    get { self[dynamicMember: \.isReadOnly] }
    set { self[dynamicMember: \.isReadOnly] = newValue }
  }
  /// `Settings.timeout`
  public var timeout: TimeInterval {
    get { self[dynamicMember: \.timeout] }
    set { self[dynamicMember: \.timeout] = newValue }
  }
  /// `Settings.shouldAddStoreAsynchronously`
  public var shouldAddStoreAsynchronously: Bool {
    get { self[dynamicMember: \.shouldAddStoreAsynchronously] }
    set { self[dynamicMember: \.shouldAddStoreAsynchronously] = newValue }
  }
  /// `Settings.shouldMigrateStoreAutomatically`
  public var shouldMigrateStoreAutomatically: Bool {
    get { self[dynamicMember: \.shouldMigrateStoreAutomatically] }
    set { self[dynamicMember: \.shouldMigrateStoreAutomatically] = newValue }
  }
  /// `Settings.shouldInferMappingModelAutomatically`
  public var shouldInferMappingModelAutomatically: Bool {
    get { self[dynamicMember: \.shouldInferMappingModelAutomatically] }
    set { self[dynamicMember: \.shouldInferMappingModelAutomatically] = newValue }
  }

  /// One of the settings.
  public subscript<Setting: Sendable>(dynamicMember member: WritableKeyPath<Settings, Setting>) -> Setting {
    get { settings.withLock { $0[keyPath: member] } }
    set { settings.withLock { $0[keyPath: member] = newValue } }
  }
}

extension PersistentStoreDescription: Hashable {
  /// Whether both are the same description.
  public static func == (left: PersistentStoreDescription, right: PersistentStoreDescription) -> Bool { left === right }
  /// Hashes which description it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
