import Foundation
import ObjectModel

/// The few file operations that reading a model takes, with errors that say what to do.
enum ModelFileSystem {
  enum Kind {
    case missing, file, folder
  }

  static func kind(_ path: String) -> Kind {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .missing }
    return isFolder.boolValue ? .folder : .file
  }

  static func names(in folder: String) throws(ModelError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw ModelError(
        .unreadableFile, file: folder, "cannot list the folder: \(error.localizedDescription)",
        hint: "check that it exists and may be read")
    }
  }

  /// The whole file, refused beyond `limit` bytes before it is all in memory.
  static func readFile(_ path: String, limit: Int) throws(ModelError) -> Data {
    let bytes: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw ModelError(
        .unreadableFile, file: path, "cannot read the file: \(error.localizedDescription)",
        hint: "check that it exists and may be read")
    }
    guard bytes.count <= limit else {
      throw ModelError(
        .unreadableFile, file: path, "the file is larger than \(limit) bytes, the most a model may have",
        hint: "check that this is a model")
    }
    return bytes
  }
}

extension ModelError {
  /// An error of one problem.
  init(_ code: Code, file: String, line: Int? = nil, _ message: String, hint: String) {
    self.init([Problem(code, file: file, line: line, message: message, hint: hint)])
  }
}
