import Platform

/// The directory of a zip archive, with zip64; nothing else of the archive is held in memory. Names of members are only
/// names: nothing is ever unpacked to them.
public struct ZipArchive: Sendable {
  /// A member, as the directory at the archive's end has it.
  public struct Member: Sendable, Equatable {
    /// The name, with the folders it has inside the archive.
    public var name: String
    /// How many bytes it takes in the archive.
    public var compressedSize: UInt64
    /// How many bytes it holds.
    public var size: UInt64
    var rawName: [UInt8]
    var method: UInt16
    var flags: UInt16
    var checksum: UInt32
    var disk: UInt32
    /// Where its local header is in the file.
    var headerOffset: UInt64

    /// Whether it is a folder, which holds nothing.
    public var isFolder: Bool { name.hasSuffix("/") }
    /// Whether it is data that a person put there: no folder, no hidden file, none of what the Finder adds.
    public var isData: Bool {
      !isFolder && !name.hasPrefix("__MACOSX/") && name.split(separator: "/").last?.hasPrefix(".") == false
    }
  }

  /// The path of the archive's file.
  public let path: String
  /// All members, in the order of the directory.
  public let members: [Member]
  /// The places of the members of each name.
  private let places: [String: [Int]]

  /// Reads the directory of an archive.
  /// - Throws: `zip.none` (no zip archive), `zip.truncated`, `zip.damaged`, `zip.multi-disk`, and errors of the file.
  public init(path: String) throws(SeedFormatError) {
    self.path = path
    let file = try RandomAccessFile(path: path)
    let directory = try ZipDirectory(file: file)
    let members = try directory.members()
    self.members = members
    places = Dictionary(grouping: members.indices) { members[$0].name }
  }

  /// Whether a file is a zip archive of files by its first bytes, and not a document that is only packed like one.
  /// False also for what is no file, or cannot be read.
  public static func isArchive(path: String) -> Bool {
    guard let file = try? RandomAccessFile(path: path), let bytes = try? file.bytes(at: 0, count: 80) else {
      return false
    }
    // Spreadsheets and the like say first what they are.
    let name = bytes.dropFirst(30)
    let isDocument = ["[Content_Types].xml", "_rels/", "mimetypeapplication/"].contains { name.starts(with: $0.utf8) }
    return bytes.starts(with: [0x50, 0x4B, 3, 4]) && !isDocument || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// The member of a name.
  /// - Throws: `zip.no-member` with names that are near, `zip.duplicate-member`.
  public func member(named name: String) throws(SeedFormatError) -> Member {
    let found = places[name, default: []].map { members[$0] }
    if found.count > 1 {
      throw failure("zip.duplicate-member", "the archive has \(found.count) members \"\(name)\"", hint: "pack it anew")
    }
    if let member = found.first, !member.isFolder { return member }
    if let member = found.first {
      throw failure("zip.no-member", "\(member.name) is a folder in the archive", kind: .missing, hint: namesHint())
    }
    throw failure(
      "zip.no-member", "the archive has no member \"\(name)\"", kind: .missing, hint: namesHint(near: name))
  }

  /// The only member with data in it, for a path that names none.
  /// - Throws: `zip.members` when it has none or several.
  public func onlyMember() throws(SeedFormatError) -> Member {
    let data = members.filter(\.isData)
    let seeds = data.filter(\.isNamedAsSeed)
    if let member = seeds.count == 1 ? seeds.first : data.count == 1 ? data.first : nil { return member }
    if data.isEmpty { throw failure("zip.members", "the archive holds no file", hint: "pack the data anew") }
    let example = (seeds.first ?? data[0]).name
    throw failure(
      "zip.members", "the archive holds \(data.count) files, and the path does not say which one",
      hint:
        "name one behind an exclamation mark, such as \(path.split(separator: "/").last ?? "feed.zip")!\(example); \(namesHint())"
    )
  }

  /// Names of members, those nearest to a name first.
  private func namesHint(near name: String? = nil) -> String {
    var names = members.filter(\.isData).map(\.name)
    if let name {
      let wanted = Self.stem(name)
      // The same name in another folder, in other letters, with another ending.
      let near = names.filter { Self.stem($0) == wanted || EditDistance.between(Self.stem($0), wanted) < 3 }
      if !near.isEmpty { return "did you mean \(near.prefix(3).map { "\"\($0)\"" }.joined(separator: " or "))?" }
    }
    let count = names.count
    names = Array(names.prefix(12))
    return names.isEmpty
      ? "it holds no file" : "it holds \(names.joined(separator: ", "))" + (count > 12 ? ", … (\(count) files)" : "")
  }

  /// The last part of a name without its ending, in small letters.
  private static func stem(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    return (last.split(separator: ".").first.map(String.init) ?? last).lowercased()
  }

  func failure(
    _ code: String, _ message: String, kind: SeedFormatError.Kind = .malformed, hint: String? = nil
  ) -> SeedFormatError {
    SeedFormatError(code: code, kind: kind, message: message, hint: hint, file: path)
  }
}

extension ZipArchive.Member {
  /// Whether the name ends as those of seeds do.
  var isNamedAsSeed: Bool {
    var name = name.lowercased()
    for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    return [".csv", ".tsv", ".tab", ".txt", ".json", ".ndjson", ".jsonl", ".plist"].contains(where: name.hasSuffix)
  }
}

/// A file read at any place.
final class RandomAccessFile: Sendable {
  let path: String
  /// Bytes of the file when it was opened.
  let size: UInt64
  private let descriptor: Int32

  /// - Throws: as `FileBlockSource` does, and `file.unreadable` for what is no file.
  init(path: String) throws(SeedFormatError) {
    // `FileBlockSource` throws the reason.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      _ = try FileBlockSource(path: path)
      throw SeedFormatError(code: "file.unreadable", kind: .unreadable, message: "cannot open the file", file: path)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SeedFormatError(code: "file.unreadable", kind: .unreadable, message: "is no file", file: path)
    }
    self.path = path
    self.descriptor = descriptor
    size = UInt64(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  /// Reads at a place, as much as is there.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SeedFormatError) -> Int {
    guard offset < size, target.count > 0 else { return 0 }
    do {
      return try unsafe FileDescriptor.read(descriptor, into: target, at: Int(offset), of: path)
    } catch {
      throw SeedFormatError(code: "file.read", kind: .io, message: error.message, file: path, byteOffset: offset)
    }
  }

  /// Some bytes; fewer where the file ends.
  func bytes(at offset: UInt64, count: Int) throws(SeedFormatError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var error: SeedFormatError?
    let read = unsafe bytes.withUnsafeMutableBytes { target in
      do throws(SeedFormatError) {
        return try unsafe self.read(into: target, at: offset)
      } catch let failure {
        error = failure
        return 0
      }
    }
    if let error { throw error }
    bytes.removeLast(count - read)
    return bytes
  }
}
