import Foundation

/// The key before, by which repeated keys of a unique index are found.
@safe final class PreviousKey {
  @unsafe private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity = 256
  private var count = 0

  init() { unsafe bytes = .allocate(capacity: capacity) }

  deinit { unsafe bytes.deallocate() }

  /// Whether a key is the same except for the row id. A key with a null equals no other.
  @unsafe func isEqual(to key: UnsafePointer<UInt8>, _ keyCount: Int) -> Bool {
    // Safety: every key ends with a row id of eight bytes and a mark of one; `bytes` has the `count` bytes of the last.
    unsafe count == keyCount && key[keyCount - 1] == 0 && memcmp(bytes, key, keyCount - 9) == 0
  }

  @unsafe func set(_ key: UnsafePointer<UInt8>, _ keyCount: Int) {
    if keyCount > capacity {
      unsafe bytes.deallocate()
      capacity = keyCount * 2
      unsafe bytes = .allocate(capacity: capacity)
    }
    unsafe bytes.update(from: key, count: keyCount)
    count = keyCount
  }

  // Safety: asked once a key was set, which has nine bytes at least.
  var rowID: Int64 { unsafe PreviousKey.rowID(bytes, count) }

  /// The row id at the end of a key.
  @unsafe static func rowID(_ key: UnsafePointer<UInt8>, _ keyCount: Int) -> Int64 {
    let bits = unsafe UInt64(bigEndian: UnsafeRawPointer(key + keyCount - 9).loadUnaligned(as: UInt64.self))
    return Int64(bitPattern: bits ^ 1 << 63)
  }
}
