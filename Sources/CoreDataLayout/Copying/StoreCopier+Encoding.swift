import Platform

extension StoreCopier {
  /// The name of the encoding of a file's texts where it is not UTF-8, which is that of every store.
  package static func otherEncoding(of path: String) -> String? {
    // The number stands in four bytes at 56 of SQLite's header.
    guard let header = try? FileSystem.start(of: path, count: 60), header.count == 60 else { return nil }
    return switch header[59] {
    case 2: "UTF-16le"
    case 3: "UTF-16be"
    default: nil
    }
  }
}
