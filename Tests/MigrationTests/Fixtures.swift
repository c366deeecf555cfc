import ModelFiles
import ObjectModel
import TestSupport

/// Models and mapping models that Apple's tools made, beside the package when they are there.
enum Fixtures {
  static func model(_ relative: String, version: String) throws -> ManagedObjectModel {
    try ModelReader.read(path: FixtureFolder.path("models/" + relative), version: version)
  }

  static func mapping(_ relative: String) throws -> MappingModel {
    try MappingModelReader.read(path: FixtureFolder.path("models/" + relative)).mappingModel
  }
}
