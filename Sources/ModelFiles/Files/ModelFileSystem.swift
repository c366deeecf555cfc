import Foundation
import ObjectModel
import Platform

/// The few file operations that reading a model takes, with errors that say what to do.
enum ModelFileSystem {
  enum Kind {
    case missing, file, folder
  }

  static func kind(_ path: String) -> Kind {
    if FileSystem.isFolder(path) { return .folder }
    return FileSystem.exists(path) ? .file : .missing
  }

  static func names(in folder: String) throws(ModelError) -> [String] {
    do throws(SystemError) {
      return try FileSystem.listing(of: folder)
    } catch {
      throw failure(error)
    }
  }

  /// The whole file, refused beyond `limit` bytes before it is all in memory.
  static func readFile(_ path: String, limit: Int) throws(ModelError) -> Data {
    // Without `O_NONBLOCK`, opening a FIFO would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ModelError(
        .unreadableFile, file: path, "it is neither a file nor a folder", hint: "check that this is a model")
    }
    var bytes = Data()
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = unsafe block.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      bytes.append(contentsOf: block[..<count])
    }
    guard bytes.count <= limit else {
      throw ModelError(
        .unreadableFile, file: path, "the file is larger than \(limit) bytes, the most a model may have",
        hint: "check that this is a model")
    }
    return bytes
  }
}

extension ModelFileSystem {
  /// The error of a call to the system that has just failed.
  private static func failure(_ path: String) -> ModelError {
    failure(SystemError("read the file", path))
  }

  static func failure(_ error: SystemError) -> ModelError {
    ModelError(
      error.isOfSystem ? .inputOutput : .unreadableFile, file: error.path, error.message,
      hint: error.isOfSystem ? "try again when the system can read it" : "check that it exists and may be read")
  }
}

extension ModelError {
  /// An error of one problem.
  init(_ code: Code, file: String, line: Int? = nil, _ message: String, hint: String) {
    self.init([Problem(code, file: file, line: line, message: message, hint: hint)])
  }
}
