public import Foundation
public import ObjectModel
import Platform

/// Models by their files, with Core Data's names. `ModelReader` says what is wrong with a model that cannot be read.
extension ManagedObjectModel {
  /// The model at a place (`.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`); nil when it cannot be read.
  public convenience init?(contentsOf url: URL) {
    guard let model = try? ModelReader.read(path: url.path) else { return nil }
    self.init(model)
    sourceURL = url
  }

  /// All models of bundles as one; nil when there is none, or one cannot be read. See `init(byMerging:)`.
  /// - Parameter bundles: nil for the main one.
  public static func mergedModel(from bundles: [Bundle]?) -> ManagedObjectModel? {
    var models: [ManagedObjectModel] = []
    for url in urls(in: bundles) {
      guard let model = ManagedObjectModel(contentsOf: url) else { return nil }
      models.append(model)
    }
    return models.isEmpty ? nil : ManagedObjectModel(byMerging: models)
  }

  /// Where the models of bundles lie, by their names.
  /// - Parameter bundles: nil for the main one.
  package static func urls(in bundles: [Bundle]?) -> [URL] {
    let suffixes = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]
    return (bundles ?? [.main]).map { $0.resourceURL ?? $0.bundleURL }.flatMap { folder in
      FileSystem.names(in: folder.path).sorted().filter { suffixes.contains(($0 as NSString).pathExtension) }
        .map { folder.appendingPathComponent($0) }
    }
  }

  /// The entities, configurations and templates of models as one; nil without models. Of templates of one name, the
  /// first model's is taken. Two entities of one name with different version hashes, and entities that do not fit
  /// together, are mistakes of the program and stop it, as Core Data raises an exception.
  public convenience init?(byMerging models: [ManagedObjectModel]?) {
    guard let models, let only = models.first else { return nil }
    if models.count == 1 {
      self.init(only)
      sourceURL = only.sourceURL
      return
    }
    var entities: [Entity] = []
    for entity in models.flatMap(\.entities) {
      if let known = entities.first(where: { $0.name == entity.name }) {
        precondition(known.versionHash == entity.versionHash, "the models have different entities \(known.name)")
      } else {
        entities.append(entity)
      }
    }
    do {
      self.init(
        try ManagedObjectModel(
          entities: entities.map(\.definition),
          configurations: models.reduce(into: [:]) {
            $0.merge($1.entityNamesByConfiguration) { Array(Set($0 + $1)).sorted() }
          },
          fetchRequestTemplates: Array(
            models.reduce(into: [:]) { $0.merge($1.fetchRequestTemplates) { first, _ in first } }.values),
          storedHashes: Dictionary(entities.map { ($0.name, $0.versionHash) }) { first, _ in first },
          validation: .compiled))
    } catch {
      preconditionFailure("the models do not fit together: \(error)")
    }
  }
}
