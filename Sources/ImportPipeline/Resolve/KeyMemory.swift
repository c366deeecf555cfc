import Foundation
import Platform

/// Where the key tables of a run keep their entries: in memory up to a budget, beyond it in temporary files that are
/// mapped into memory, which the system can write out when it needs the room. Where the disk is full, memory it is. Used by one thread at a time.
final class KeyMemory {
  /// Bytes that the tables may hold in memory together.
  let budget: Int
  private let temporaryPath: String
  private var used = 0
  /// Bytes that lie in files.
  private(set) var fileBytes = 0

  /// - Parameter temporaryPath: how the names of the files begin; they have none any more once they are open.
  init(budget: Int = .max, temporaryPath: String = NSTemporaryDirectory() + "/seedbed-keys") {
    self.budget = budget
    self.temporaryPath = temporaryPath
  }

  /// Zeroed bytes.
  func region(_ count: Int) -> Region {
    if count > budget - min(used, budget), let region = mapped(count) {
      fileBytes += count
      return region
    }
    used += count
    return unsafe Region(memory: self, base: unsafe calloc(count, 1), count: count, isMapped: false)
  }

  private func mapped(_ count: Int) -> Region? {
    let path = temporaryPath + "-" + UUID().uuidString
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    unsafe unlink(path)
    // Without blocks of its own behind every page, a full disk would end the process at a later write into the mapping.
    guard KeyMemory.allocate(count, of: descriptor), ftruncate(descriptor, off_t(count)) == 0,
      let base = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe base != MAP_FAILED
    else { return nil }
    return unsafe Region(memory: self, base: unsafe base, count: count, isMapped: true)
  }

  /// Gives a file blocks on disk.
  /// - Returns: false when there is no room.
  private static func allocate(_ count: Int, of descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(count),
        fst_bytesalloc: 0)
      return unsafe fcntl(descriptor, F_PREALLOCATE, &request) == 0
    #else
      return posix_fallocate(descriptor, 0, off_t(count)) == 0
    #endif
  }

  /// Bytes of one table; they are given back when nobody holds them any more.
  @safe final class Region {
    @unsafe let base: UnsafeMutableRawPointer
    let count: Int
    private let isMapped: Bool
    private let memory: KeyMemory

    fileprivate init(memory: KeyMemory, base: UnsafeMutableRawPointer?, count: Int, isMapped: Bool) {
      guard let base = unsafe base else { preconditionFailure("no memory left for natural keys") }
      self.memory = memory
      unsafe self.base = unsafe base
      self.count = count
      self.isMapped = isMapped
    }

    deinit {
      if isMapped {
        unsafe munmap(base, count)
        memory.fileBytes -= count
      } else {
        unsafe free(base)
        memory.used -= count
      }
    }
  }
}
