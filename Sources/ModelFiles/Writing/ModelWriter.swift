import Foundation
public import ObjectModel
import Platform

/// Writes models as Xcode's editor does: an `.xcdatamodeld` folder with a version in it, and `.xccurrentversion`.
///
/// What is written reads back as the same model with the same version hashes. Two things have no form in model sources
/// and are errors: a filtering predicate of a derived attribute, and default values of types that take none.
public enum ModelWriter {
  /// A file of a model's folder.
  public struct File: Sendable, Hashable {
    /// Its path below the `.xcdatamodeld` folder.
    public var path: String
    /// The contents of the file.
    public var text: String
  }

  /// The XML of a version's file `contents`.
  /// - Throws: `ModelError` with everything that model sources have no form for.
  public static func contents(of model: ManagedObjectModel) throws(ModelError) -> String {
    var encoder = ModelEncoder()
    let root = encoder.encode(model)
    guard encoder.problems.isEmpty else { throw ModelError(encoder.problems) }
    return root.document
  }

  /// The files of an `.xcdatamodeld` folder that has the model as its current version.
  /// - Parameter version: the version's name, without its suffix.
  /// - Throws: `ModelError` as `contents(of:)`.
  public static func files(of model: ManagedObjectModel, version: String) throws(ModelError) -> [File] {
    let folder = version + ModelLocation.versionSuffix
    return [
      File(path: folder + "/" + ModelLocation.contentsName, text: try contents(of: model)),
      File(path: ModelLocation.currentVersionFile, text: currentVersion(folder)),
    ]
  }

  /// Writes a version into an `.xcdatamodeld` folder and makes it the current one. The folder is made when it is
  /// missing; its other versions stay. A version of that name is replaced.
  /// - Parameters:
  ///   - path: the `.xcdatamodeld` folder.
  ///   - version: the version's name without its suffix; by default that of the folder.
  /// - Throws: `ModelError`; `unreadableFile` when the folder or a file in it cannot be written.
  public static func write(
    _ model: ManagedObjectModel, path: String, version: String? = nil
  ) throws(ModelError) {
    let path = ModelLocation.withoutTrailingSlashes(path)
    // The contents come first: a reader in between finds the version before.
    for file in try files(of: model, version: version ?? ModelReader.modelName(path: path)) {
      let url = URL(fileURLWithPath: path + "/" + file.path)
      do {
        try FileSystem.makeFolder(FileSystem.parent(url.path))
        try Data(file.text.utf8).write(to: url, options: .atomic)
      } catch let error as SystemError {
        throw ModelError(
          .unreadableFile, file: url.path, "cannot write it: \(error.reason)",
          hint: "name a folder that may be written to")
      } catch {
        throw ModelError(
          .unreadableFile, file: url.path, "cannot write it: \(error.localizedDescription)",
          hint: "name a folder that may be written to")
      }
    }
  }

  private static func currentVersion(_ folder: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(XMLElement.escaped(folder))</string>
    </dict>
    </plist>

    """
  }
}
