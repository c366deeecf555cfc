import CoreDataLayout
public import Foundation
public import Migration
import ModelFiles
public import ObjectGraph
public import ObjectModel
import StoreInterface

extension PersistentContainer {
  /// A container for the model of that name, with one SQLite store `<name>.sqlite` in `defaultDirectoryURL` described.
  ///
  /// The model is looked for in the bundle as `<name>.momd`, `.mom`, `.xcdatamodeld` and `.xcdatamodel`, in this order.
  /// Where there is no such model, or it has mistakes, the container has an empty one, and loading its stores fails
  /// with a `ModelError`.
  /// - Parameters:
  ///   - bundle: where to look; nil for `modelBundle`, then the main bundle.
  ///   - classes: subclasses of `ManagedObject` by `managedObjectClassName` or entity name.
  ///   - migrationPolicies: the policies that mapping models beside the model name; see `AutomaticMigration`.
  public convenience init(
    name: String, bundle: Bundle? = nil, classes: [String: ManagedObject.Type] = [:],
    migrationPolicies: MigrationPolicies = MigrationPolicies()
  ) {
    do {
      let url = try ManagedObjectModel.existingURL(name: name, in: bundle.map { [$0] } ?? [Self.modelBundle, .main])
      self.init(
        name: name, managedObjectModel: try ModelReader.read(path: url.path), modelURL: url, classes: classes,
        migrationPolicies: migrationPolicies)
    } catch {
      self.init(name: name, managedObjectModel: .empty, classes: classes)
      // An empty model must not meet a store: it would take everything out of it.
      persistentStoreCoordinator.refuseStores(error)
      persistentStoreCoordinator.storeMigrator = nil
    }
  }

  /// A container for the model at a URL (`.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`), with one SQLite store
  /// `<name>.sqlite` in `defaultDirectoryURL` described. Stores of older versions of the model are brought to it when
  /// they are loaded; see `AutomaticMigration`.
  /// - Parameter migrationPolicies: the policies that mapping models beside the model name.
  /// - Throws: `ModelError` when there is no such model or it has mistakes.
  public convenience init(
    name: String, modelURL: URL, classes: [String: ManagedObject.Type] = [:],
    migrationPolicies: MigrationPolicies = MigrationPolicies()
  ) throws {
    self.init(
      name: name, managedObjectModel: try ModelReader.read(path: modelURL.path), modelURL: modelURL, classes: classes,
      migrationPolicies: migrationPolicies)
  }

  private convenience init(
    name: String, managedObjectModel: ManagedObjectModel, modelURL: URL, classes: [String: ManagedObject.Type],
    migrationPolicies: MigrationPolicies
  ) {
    self.init(name: name, managedObjectModel: managedObjectModel, classes: classes)
    persistentStoreCoordinator.storeMigrator = AutomaticMigration(modelURL: modelURL, policies: migrationPolicies)
  }

  /// A container for a model, with one SQLite store `<name>.sqlite` in `defaultDirectoryURL` described. A store that
  /// carries the older model it was made with is brought to this one when it is loaded, where a mapping can be
  /// inferred. What the older model has and this one lacks goes only where `ManagedObjectModel(contentsOf:)` has found
  /// both as versions of one model.
  /// - Parameter classes: subclasses of `ManagedObject` by `managedObjectClassName` or entity name.
  public convenience init(
    name: String, managedObjectModel: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]
  ) {
    let file = Self.defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
    self.init(
      name: name, managedObjectModel: managedObjectModel,
      persistentStoreDescriptions: [PersistentStoreDescription(type: .sqlite, url: file)], classes: classes)
    persistentStoreCoordinator.storeMigrator = AutomaticMigration(modelURL: managedObjectModel.presentSourceURL)
  }
}

extension ManagedObjectModel {
  /// Where the model was read from, if it still is there.
  var presentSourceURL: URL? { sourceURL.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil } }

  fileprivate static func existingURL(name: String, in bundles: [Bundle]) throws -> URL {
    if let url = url(name: name, in: bundles) { return url }
    let places = bundles.map(\.bundlePath).joined(separator: ", ")
    throw ModelError([
      ModelError.Problem(
        message: "there is no model \"\(name)\" in \(places)",
        hint: "add it to the target's resources, or give its URL")
    ])
  }

  /// The first file or folder with that name that is a model.
  fileprivate static func url(name: String, in bundles: [Bundle]) -> URL? {
    for bundle in bundles {
      for suffix in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
        let folders = [bundle.resourceURL, bundle.bundleURL].compactMap { $0 }
        for folder in folders {
          let url = folder.appendingPathComponent(name).appendingPathExtension(suffix)
          if FileManager.default.fileExists(atPath: url.path) { return url }
        }
      }
    }
    return nil
  }
}
