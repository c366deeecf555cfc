import Foundation
import Platform
import StoreInterface

/// Names and lengths of a controller's sections, kept in a file between runs of a program, so that the objects need not
/// be looked at for them. What is kept counts only for the very request and the very state of the stores' files.
struct SectionCache {
  /// What a file holds.
  struct Content: Codable, Equatable {
    /// Everything that the sections depend on, as text.
    var fingerprint: String
    var names: [String]
    var counts: [Int]
  }

  let directory: URL
  let name: String

  /// The folder that caches are kept in unless another is given.
  static var defaultDirectory: URL {
    let caches =
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    return caches.appendingPathComponent("seedbed.sections", isDirectory: true)
  }

  private static let suffix = ".sections.json"

  /// The cache's name is encoded, because file names may not hold every character.
  private var file: URL {
    let safe = name.utf8.map { byte in
      let isPlain = (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      return isPlain ? String(UnicodeScalar(byte)) : "_" + String(byte, radix: 16)
    }.joined()
    return directory.appendingPathComponent(safe + Self.suffix)
  }

  /// What was kept for exactly this fingerprint and this number of objects. Anything else that is there is removed.
  func load(fingerprint: String, objectCount: Int) -> Content? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    if let content = try? JSONDecoder().decode(Content.self, from: data), content.fingerprint == fingerprint,
      content.names.count == content.counts.count, content.counts.allSatisfy({ $0 > 0 }),
      content.counts.reduce(0, { $0.addingReportingOverflow($1).partialValue }) == objectCount
    {
      return content
    }
    try? FileManager.default.removeItem(at: file)
    return nil
  }

  /// Keeps sections. A file that cannot be written is no error; the next run fetches the objects.
  func store(_ content: Content) {
    guard let data = try? JSONEncoder().encode(content) else { return }
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try? data.write(to: file, options: .atomic)
  }

  func remove() { try? FileManager.default.removeItem(at: file) }

  static func removeAll(in directory: URL) {
    let names = FileSystem.names(in: directory.path)
    for name in names where name.hasSuffix(suffix) {
      try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
    }
  }

  /// Size and modification time of each store's file and log; nil when a store has no file.
  static func stamp(_ coordinator: PersistentStoreCoordinator) -> String? {
    var parts: [String] = []
    for store in coordinator.persistentStores {
      guard let path = coordinator.file(of: store)?.path else { return nil }
      parts.append(store.identifier)
      for file in [path, path + "-wal"] {
        let attributes = (try? FileManager.default.attributesOfItem(atPath: file)) ?? [:]
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        parts.append("\(size) \(changed)")
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "|")
  }
}
