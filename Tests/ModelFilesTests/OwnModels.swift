import Foundation
import TestSupport

/// The models of our own writing.
enum OwnModels {
  static let folder = FixtureFolder.packageRoot.appendingPathComponent("Tests/ModelFilesTests/Models")
  static let library = folder.appendingPathComponent("Library.xcdatamodeld").path
}
