import Foundation
import StoreInterface

/// Values of attributes that allow external storage: a tag byte, then the bytes themselves or the name of a file in a
/// folder beside the store.
struct ExternalDataFolder: Sendable {
  static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2
  /// Longer values go into files. Core Data's own limit lies near 100 KB.
  static let longestInline = 100 * 1024

  /// The support folder, which is hidden and named after the store.
  let supportPath: String
  var dataPath: String { supportPath + "/_EXTERNAL_DATA" }

  init(storePath: String) {
    let name = ((storePath as NSString).lastPathComponent as NSString).deletingPathExtension
    supportPath = FileSystem.parent(storePath) + "/.\(name)_SUPPORT"
  }

  /// The bytes to store for a value; a long value is written to a new file first.
  /// - Parameter seed: tells apart equal values of different rows, so that no two rows share a file.
  func encode(_ bytes: UnsafeRawBufferPointer, seed: UInt64, into result: inout [UInt8]) throws {
    result.removeAll(keepingCapacity: true)
    if bytes.count <= ExternalDataFolder.longestInline {
      result.append(ExternalDataFolder.inlineTag)
      unsafe result.append(contentsOf: bytes)
      return
    }
    let name = unsafe try writeFile(Array(bytes), seed: seed)
    result.append(ExternalDataFolder.fileTag)
    result.append(contentsOf: name.utf8)
    result.append(0)
  }

  /// The bytes behind a stored value.
  /// - Throws: `StoreError.notAStore` when the tag is unknown, the name is no UUID or the file is gone.
  func decode(_ stored: UnsafeRawBufferPointer, storePath: String) throws -> [UInt8] {
    guard let tag = unsafe stored.first else { return [] }
    if tag == ExternalDataFolder.inlineTag { return unsafe Array(stored.dropFirst()) }
    guard let name = unsafe fileName(stored) else {
      throw StoreError.notAStore(path: storePath, message: "an external binary value has an unknown form (tag \(tag))")
    }
    guard let bytes = try FileSystem.readRegularFile(dataPath + "/" + name) else {
      throw StoreError.notAStore(path: storePath, message: "the external data file \(name) is missing")
    }
    return bytes
  }

  /// The file that a stored value names, when it names one. Only a UUID is taken, so that no name leaves the folder.
  func fileName(_ stored: UnsafeRawBufferPointer) -> String? {
    guard stored.count >= 37, unsafe stored[0] == ExternalDataFolder.fileTag else { return nil }
    let name = unsafe String(decoding: stored[1..<37], as: UTF8.self)
    return UUID(uuidString: name) != nil && name == name.uppercased() ? name : nil
  }

  /// Files are named after their contents and place rather than at random, so that the same work gives the same store.
  private func writeFile(_ bytes: [UInt8], seed: UInt64) throws -> String {
    do {
      try FileManager.default.createDirectory(atPath: dataPath, withIntermediateDirectories: true)
    } catch {
      throw StoreError.cannotCreate(path: dataPath, message: "cannot create the folder")
    }
    var low = ExternalDataFolder.hash(bytes, seed)
    var high = ExternalDataFolder.hash(bytes, seed &+ 0x9E37_79B9_7F4A_7C15)
    while true {
      let name = ExternalDataFolder.uuid(high, low)
      let path = dataPath + "/" + name
      guard let existing = try FileSystem.readRegularFile(path) else {
        try FileSystem.write(bytes, toNewFile: path)
        return name
      }
      if existing == bytes { return name }
      low = low &* 6_364_136_223_846_793_005 &+ 1
      high ^= low
    }
  }

  /// FNV-1a, finished with a multiply-xorshift so that both halves of the name differ in every bit.
  private static func hash(_ bytes: [UInt8], _ seed: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash ^= hash >> 33
    hash = hash &* 0xFF51_AFD7_ED55_8CCD
    return hash ^ (hash >> 33)
  }

  private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
    func byte(_ value: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * index)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x80, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
        byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      )
    ).uuidString
  }
}
