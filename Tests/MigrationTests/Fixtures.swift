import Foundation
import ModelFiles
import ObjectModel
import TestSupport

/// Models, mapping models and stores that Apple's tools made, beside the package when they are there.
enum Fixtures {
  static let root = FixtureFolder.url
  static let areAvailable = FixtureFolder.isAvailable
  static let absenceReason = FixtureFolder.absenceReason

  static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }

  static func model(_ relative: String, version: String) throws -> ManagedObjectModel {
    try ModelReader.read(path: path("models/" + relative), version: version)
  }

  static func mapping(_ relative: String) throws -> MappingModel {
    try MappingModelReader.read(path: path("models/" + relative)).mappingModel
  }

  /// A copy of a store in a test's own folder.
  static func store(_ relative: String, in folder: TemporaryFolder) throws -> URL {
    let source = root.appendingPathComponent("stores/" + relative)
    let copy = folder.file(source.lastPathComponent)
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: source.path + suffix) {
      try FileManager.default.copyItem(atPath: source.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }
}
