import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the key tables of a run keep their entries: in memory up to a budget, beyond it in temporary files that are
/// mapped into memory, which the system can write out when it needs the room. Used by one thread at a time.
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
    guard ftruncate(descriptor, off_t(count)) == 0,
      let base = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe base != MAP_FAILED
    else { return nil }
    return unsafe Region(memory: self, base: unsafe base, count: count, isMapped: true)
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
