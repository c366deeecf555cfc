/// What the fixtures' `expected.json` says: hashes are in hexadecimal, paths are below the folder of fixtures.
public struct FixtureExpectations: Decodable, Sendable {
  /// What is known of a store.
  public struct Store: Decodable, Sendable {
    /// Entity name → version hash.
    public let hashes: [String: String]
    /// The digest of the hashes, where the framework wrote one.
    public let digest: String?
    /// The checksum of the model, where the framework wrote one.
    public let checksum: String?
    /// The framework's number.
    public let frameworkVersion: Int?
    /// Table → number of rows.
    public let rows: [String: Int]
    /// Entity name → number.
    public let numbers: [String: Int]
    /// Paths of the models that it was made with.
    public let models: [String]

    private enum CodingKeys: String, CodingKey {
      case hashes, digest, checksum, frameworkVersion, rows, entities, model
    }

    /// Reads one.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      hashes = try values.decode([String: String].self, forKey: .hashes)
      digest = try values.decodeIfPresent(String.self, forKey: .digest)
      checksum = try values.decodeIfPresent(String.self, forKey: .checksum)
      frameworkVersion = try values.decodeIfPresent(Int.self, forKey: .frameworkVersion)
      rows = try values.decode([String: Int].self, forKey: .rows)
      models = try values.decode([String].self, forKey: .model)
      var numbers: [String: Int] = [:]
      var entities = try values.nestedUnkeyedContainer(forKey: .entities)
      while !entities.isAtEnd {
        var entity = try entities.nestedUnkeyedContainer()
        let number = try entity.decode(Int.self)
        numbers[try entity.decode(String.self)] = number
      }
      self.numbers = numbers
    }
  }

  /// Path of a `.xcdatamodel` → entity name → version hash.
  public let models: [String: [String: String]]
  /// Path of a `VersionInfo.plist` → version name → entity name → version hash.
  public let compiled: [String: [String: [String: String]]]
  /// Path of a store → what is known of it.
  public let stores: [String: Store]

  private enum CodingKeys: String, CodingKey {
    case models, stores
  }

  /// Knows nothing.
  init() {
    (models, compiled, stores) = ([:], [:], [:])
  }

  /// Reads all.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let all = try values.decode([String: [String: [String: String]]].self, forKey: .models)
    models = all.filter { $0.key.hasSuffix(".xcdatamodel") }.compactMapValues { $0["entities"] }
    compiled = all.filter { !$0.key.hasSuffix(".xcdatamodel") }
    stores = try values.decode([String: Store].self, forKey: .stores)
  }

  /// The paths of all models, sorted.
  public var modelPaths: [String] { models.keys.sorted() }
  /// The paths of all stores, sorted.
  public var storePaths: [String] { stores.keys.sorted() }
}
