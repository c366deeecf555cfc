// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import ObjectModel
public import StoreInterface

/// Whether a new store keeps persistent history: `PersistentStoreDescription.tracksHistory`.
public let PersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether writes are told: `PersistentStoreDescription.postsRemoteChanges`.
public let PersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// `PersistentStoreDescription.isReadOnly`
public let ReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// `PersistentStoreDescription.timeout`, in seconds.
public let PersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// `PersistentStoreDescription.shouldMigrateStoreAutomatically`
public let MigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// `PersistentStoreDescription.shouldInferMappingModelAutomatically`
public let InferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// `PersistentStoreDescription.migrator`
public let PersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"

/// `PersistentStoreDescription.sqlitePragmas`, as a dictionary.
public let SQLitePragmasOption = "NSSQLitePragmasOption"
/// `PersistentStoreDescription.vacuumsWhenOpened`
public let SQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// `PersistentStoreDescription.analyzesWhenOpened`
public let SQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

extension PersistentStoreDescription {
  /// Sets one of `sqlitePragmas`; nil takes it away. A value that is neither a text nor a number stops the program.
  public func setValue(_ value: Any?, forPragmaNamed name: String) {
    switch value {
    case nil, is NSNull: self.sqlitePragmas[name] = nil
    case let text as String: self.sqlitePragmas[name] = text
    case let text as NSString: self.sqlitePragmas[name] = "\(text)"
    default:
      guard let number = number(value, name) else { refuse(value, name) }
      self.sqlitePragmas[name] = number.stringValue
    }
  }

  /// Sets what a key of Core Data's says; nil sets it back. A key that is none of those above goes to
  /// `typeOptions`, for types of stores that have it. A value that the key does not take stops the program, where Core
  /// Data raises an exception.
  public func setOption(_ option: Any?, forKey key: String) {
    switch key {
    case PersistentHistoryTrackingKey: self.tracksHistory = flag(option, key) ?? false
    case PersistentStoreRemoteChangeNotificationPostOptionKey: self.postsRemoteChanges = flag(option, key) ?? false
    case ReadOnlyPersistentStoreOption: self.isReadOnly = flag(option, key) ?? false
    case MigratePersistentStoresAutomaticallyOption: self.shouldMigrateStoreAutomatically = flag(option, key) ?? true
    case InferMappingModelAutomaticallyOption: self.shouldInferMappingModelAutomatically = flag(option, key) ?? true
    case PersistentStoreTimeoutOption: self.timeout = number(option, key)?.doubleValue ?? 5
    case SQLiteManualVacuumOption: self.vacuumsWhenOpened = flag(option, key) ?? false
    case SQLiteAnalyzeOption: self.analyzesWhenOpened = flag(option, key) ?? false
    case SQLitePragmasOption:
      guard let pragmas = (option ?? [String: Any]()) as? [String: Any] else { refuse(option, key) }
      self.sqlitePragmas = [:]
      for (name, value) in pragmas { setValue(value, forPragmaNamed: name) }
    case PersistentStoreStagedMigrationManagerOptionKey:
      guard option == nil || option is any StoreMigrating else { refuse(option, key) }
      self.migrator = option as? any StoreMigrating
    default:
      guard let value = Value(anyValue: option) else { refuse(option, key) }
      self.typeOptions[key] = value == .null ? nil : value
    }
  }

  /// The options that say something else than a new description does, by Core Data's keys, and `typeOptions`: numbers,
  /// texts, dates, bytes, the pragmas as a dictionary. A migrator is not among them.
  public var options: [String: NSObject] {
    var options = self.typeOptions.compactMapValues(\.foundationObject)
    let flags: [(String, Bool, whenNew: Bool)] = [
      (PersistentHistoryTrackingKey, self.tracksHistory, false),
      (PersistentStoreRemoteChangeNotificationPostOptionKey, self.postsRemoteChanges, false),
      (ReadOnlyPersistentStoreOption, self.isReadOnly, false),
      (MigratePersistentStoresAutomaticallyOption, self.shouldMigrateStoreAutomatically, true),
      (InferMappingModelAutomaticallyOption, self.shouldInferMappingModelAutomatically, true),
      (SQLiteManualVacuumOption, self.vacuumsWhenOpened, false), (SQLiteAnalyzeOption, self.analyzesWhenOpened, false),
    ]
    for (key, flag, whenNew) in flags where flag != whenNew { options[key] = NSNumber(value: flag) }
    if self.timeout != 5 { options[PersistentStoreTimeoutOption] = NSNumber(value: self.timeout) }
    if !self.sqlitePragmas.isEmpty {
      options[SQLitePragmasOption] = NSDictionary(
        objects: self.sqlitePragmas.values.map { NSString(string: $0) },
        forKeys: self.sqlitePragmas.keys.map { NSString(string: $0) })
    }
    return options
  }

  /// The options of a store that is added with the description.
  var optionValues: [String: Value] {
    var values = options.compactMapValues { Value(anyValue: $0) }
    values[MigratePersistentStoresAutomaticallyOption] = .boolean(self.shouldMigrateStoreAutomatically)
    values[InferMappingModelAutomaticallyOption] = .boolean(self.shouldInferMappingModelAutomatically)
    if !self.sqlitePragmas.isEmpty {
      values[SQLitePragmasOption] = .composite(self.sqlitePragmas.mapValues { .string($0) })
    }
    return values
  }

  /// Sets all options of a dictionary.
  package func setOptions(_ values: [AnyHashable: Any]?) {
    for (key, value) in values ?? [:] {
      guard let name = key.base as? String else { refuse(value, "\(key)") }
      setOption(value, forKey: name)
    }
  }

  private func flag(_ option: Any?, _ key: String) -> Bool? { number(option, key)?.boolValue }

  private func number(_ option: Any?, _ key: String) -> NSNumber? {
    switch option {
    case nil, is NSNull: return nil
    case let number as NSNumber: return number
    case let flag as Bool: return NSNumber(value: flag)
    case let number as Int: return NSNumber(value: number)
    case let number as Double: return NSNumber(value: number)
    default: refuse(option, key)
    }
  }

  private func refuse(_ option: Any?, _ key: String) -> Never {
    preconditionFailure(
      "the option \(key) of a store does not take \(option.map { "a \(Swift.type(of: $0))" } ?? "nil")")
  }
}

extension Value {
  /// The value as an object of Foundation's; nil for null and composites.
  fileprivate var foundationObject: NSObject? {
    switch self {
    case .null, .composite: nil
    case .integer(let integer): NSNumber(value: integer)
    case .boolean(let boolean): NSNumber(value: boolean)
    case .double(let double): NSNumber(value: double)
    case .decimal(let decimal): NSDecimalNumber(decimal: decimal)
    case .string(let text): NSString(string: text)
    case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case .data(let data): NSData(data: data)
    case .uuid(let uuid): NSUUID(uuidString: uuid.uuidString)
    case .uri(let uri): NSURL(string: uri.absoluteString)
    }
  }
}

/// Core Data's calls with options in a dictionary.
extension PersistentStoreCoordinator {
  /// As `addPersistentStore(with:)`, and calls back; later and from another thread where the description says so.
  public func addPersistentStore(
    with description: PersistentStoreDescription,
    completionHandler: @escaping @Sendable (PersistentStoreDescription, (any Error)?) -> Void
  ) {
    @Sendable func add() {
      let outcome = Result { try addPersistentStore(with: description) }
      if case .failure(let error) = outcome {
        completionHandler(description, error)
      } else {
        completionHandler(description, nil)
      }
    }
    if description.shouldAddStoreAsynchronously { DispatchQueue.global().async(execute: add) } else { add() }
  }

  /// The static function of that name. A store that is read-only by the options is refused.
  public func destroyPersistentStore(
    at url: URL, type: some PersistentStoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try requireWritable(options, url)
    try Self.destroyPersistentStore(at: url, type: type)
  }

  /// The static function of that name. A store that is read-only by the options is refused.
  public func destroyPersistentStore(
    at url: URL, ofType type: some PersistentStoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, type: type, options: options)
  }

  /// The static function of that name. A destination that is read-only by its options is refused; those of the source
  /// say nothing that matters, since it is only read.
  public func replacePersistentStore(
    at url: URL, destinationOptions options: [AnyHashable: Any]? = nil, withPersistentStoreFrom source: URL,
    sourceOptions: [AnyHashable: Any]? = nil, type: some PersistentStoreType
  ) throws {
    try requireWritable(options, url)
    try Self.replacePersistentStore(at: url, withPersistentStoreFrom: source, type: type)
  }

  /// The static function of that name. A destination that is read-only by its options is refused; those of the source
  /// say nothing that matters, since it is only read.
  public func replacePersistentStore(
    at url: URL, destinationOptions options: [AnyHashable: Any]? = nil, withPersistentStoreFrom source: URL,
    sourceOptions: [AnyHashable: Any]? = nil, ofType type: some PersistentStoreType
  ) throws {
    try replacePersistentStore(
      at: url, destinationOptions: options, withPersistentStoreFrom: source, sourceOptions: sourceOptions, type: type)
  }

  private func requireWritable(_ options: [AnyHashable: Any]?, _ url: URL) throws {
    let description = PersistentStoreDescription(type: UnnamedStoreType(), url: url)
    description.setOptions(options)
    if description.isReadOnly { throw StoreError.unsupported("\(url.path) is read-only by its options") }
  }
}

/// The type where none is known.
struct UnnamedStoreType: PersistentStoreType {
  var name: String { "" }
  func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    throw StoreError.unsupported("no type of store was named")
  }
  func destroy(at url: URL) throws {}
  func replace(at url: URL, with source: URL) throws {}
}
