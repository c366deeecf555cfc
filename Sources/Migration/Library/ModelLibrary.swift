import CoreDataLayout
public import Foundation
import ModelFiles
public import ObjectModel
import Platform
import StoreInterface

/// The versions of a model and the mapping models between them, from which a migration chooses its way.
public struct ModelLibrary: Sendable {
  /// A version of the model.
  public struct Version: Sendable {
    /// The name, such as `Shop 2`.
    public let name: String
    /// The model of this version.
    public let model: ManagedObjectModel

    /// A version with a name, such as `Shop 2`.
    public init(name: String, model: ManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// A mapping model with a name for messages.
  public struct Mapping: Sendable {
    /// Path of the file, or a name that the program gave.
    public let name: String
    /// The mapping model as it was read or given.
    public let mappingModel: MappingModel
    /// Why the mapping model cannot be used, in sentences. One with a mistake is not used.
    package internal(set) var mistakes: [String] = []

    /// A mapping model with a name for messages.
    public init(name: String, mappingModel: MappingModel) {
      self.name = name
      self.mappingModel = mappingModel
    }
  }

  /// The versions, the oldest first. Those of a folder are in the order of their names, numbers in them as numbers and
  /// capital letters as small ones, so that `shop 10` comes after `Shop 9`.
  public private(set) var versions: [Version]
  /// The mapping models that were found or given.
  public private(set) var mappings: [Mapping]
  /// Warnings about files that could not be used, and about mapping models that fit no version.
  public private(set) var warnings: [String] = []
  /// Those of the warnings that are about mapping models which could not be read: one may be the one that is needed.
  package private(set) var unreadable: [String] = []

  /// A library of these versions, the oldest first.
  public init(versions: [Version] = [], mappings: [Mapping] = []) {
    self.versions = versions
    self.mappings = []
    for mapping in mappings { add(mapping, nil) }
  }

  private mutating func add(_ mapping: Mapping, _ file: MappingModelFile?) {
    var mapping = mapping
    let doubts = MappingDoubts(mapping, file, versions)
    mapping.mistakes = doubts.mistakes
    mappings.append(mapping)
    warnings += doubts.mistakes + doubts.staleness
  }

  // MARK: - Reading

  /// Reads all versions of a model (`.xcdatamodeld`, `.momd`, or a single model), and the mapping models beside it.
  /// - Parameters:
  ///   - modelURL: where the model lies.
  ///   - mappingModelURLs: mapping models, or folders that have some; nil for the folder that the model lies in.
  /// - Throws: `ModelError` when there is no model or a version has mistakes, and when the system fails to read a file.
  ///   A mapping model that is damaged is a warning, and steps that lose something are then refused.
  public init(modelURL: URL, mappingModelURLs: [URL]? = nil) throws(ModelError) {
    self.init()
    let path = modelURL.path
    for name in try ModelReader.versions(path: path).names.sorted(by: Self.precedes) {
      versions.append(Version(name: name, model: try ModelReader.read(path: path, version: name)))
    }
    for url in mappingModelURLs ?? [modelURL.deletingLastPathComponent()] { try read(url) }
  }

  private mutating func read(_ url: URL) throws(ModelError) {
    if !MappingModelReader.isMappingModel(path: url.path) {
      let names: [String]
      do throws(SystemError) {
        names = try FileSystem.listing(of: url.path)
      } catch {
        return noteUnreadable("the folder \(url.path) cannot be searched for mapping models: \(error.reason)")
      }
      for name in names.sorted() where MappingModelReader.isMappingModel(path: "/" + name) {
        try read(url.appendingPathComponent(name))
      }
      return
    }
    do throws(ModelError) {
      let file = try MappingModelReader.read(path: url.path)
      add(Mapping(name: url.path, mappingModel: file.mappingModel), file)
    } catch {
      if error.problems.contains(where: { $0.code == .inputOutput }) { throw error }
      noteUnreadable("the mapping model \(url.path) cannot be read: \(error)")
    }
  }

  private mutating func noteUnreadable(_ text: String) {
    warnings.append(text)
    unreadable.append(text)
  }

  /// As Xcode shows versions: numbers in names count as numbers, wherever they stand, capital letters as small ones,
  /// and a name comes before those that go on behind it.
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (first, second) = (parts(left), parts(right))
    for (one, other) in zip(first, second) where one != other { return one < other }
    return first.count < second.count
  }

  /// Texts without the spaces around them, and digits between them.
  private static func parts(_ name: String) -> [NamePart] {
    var parts: [NamePart] = []
    var rest = name[...]
    while let next = rest.first {
      let isNumber = next.isASCII && next.isNumber
      let part = rest.prefix { ($0.isASCII && $0.isNumber) == isNumber }
      rest = rest.dropFirst(part.count)
      let text = part.trimmingCharacters(in: .whitespaces)
      if isNumber {
        parts.append(.number(String(text.drop { $0 == "0" })))
      } else if !text.isEmpty {
        parts.append(.text(text))
      }
    }
    return parts
  }

  private enum NamePart: Comparable {
    /// Digits without leading zeros, of any length.
    case number(String)
    case text(String)

    static func < (left: NamePart, right: NamePart) -> Bool {
      switch (left, right) {
      case (.number(let one), .number(let other)): (one.count, one) < (other.count, other)
      case (.text(let one), .text(let other)):
        // As folders are shown: letters by their order, whatever their case; names that differ in nothing else by that.
        (one.lowercased(), one) < (other.lowercased(), other)
      case (.number, .text): true
      case (.text, .number): false
      }
    }
  }

  // MARK: - Versions

  /// Inserts the wanted model. It replaces the version that is declared alike, or else the one with the same hashes
  /// (defaults may differ); otherwise it becomes the newest.
  mutating func insert(_ version: Version) {
    guard let index = index(of: version.model) else { return versions.append(version) }
    versions[index] = Version(name: versions[index].name, model: version.model)
  }

  /// Adds a version as the oldest.
  mutating func insertOldest(_ version: Version) { versions.insert(version, at: 0) }

  /// The position of a model: of the version that is declared just like it, else of the newest with its hashes.
  /// Versions may differ in what enters no hash, such as defaults, and one of them be a step to another.
  func index(of model: ManagedObjectModel) -> Int? {
    let hashes = model.entityVersionHashesByName
    let same = versions.indices.filter { versions[$0].model.entityVersionHashesByName == hashes }
    return same.first { versions[$0].model.definitions == model.definitions } ?? same.last
  }

  /// The version that a store was made with, by the version hashes in its metadata.
  public func version(withHashes hashes: [String: Data]) -> Version? {
    var library = self
    return library.adopt(SourceVersion(hashes: hashes)).map { library.versions[$0] }
  }

  /// The position of the version that a store was made with, which takes the store's hashes where its own rest on
  /// unconfirmed rules.
  /// - Parameter wanted: the version that is meant where nothing tells several apart; the first one by default.
  mutating func adopt(_ source: SourceVersion, wanted: Int? = nil) -> Int? {
    guard let (index, model) = source.find(among: versions.map(\.model), wanted: wanted) else { return nil }
    versions[index] = Version(name: versions[index].name, model: model)
    return index
  }
}

extension PersistentStoreType {
  /// What a store tells of its version: a SQLite store more than its hashes.
  /// - Throws: where the store cannot be read.
  func sourceVersion(ofStoreAt url: URL, _ hashes: [String: Data]) throws -> SourceVersion {
    self is SQLitePersistentStoreType ? try SourceVersion(storeAt: url.path) : SourceVersion(hashes: hashes)
  }
}
