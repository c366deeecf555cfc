import Foundation
import Platform

/// Where the key tables of a run keep their entries: in memory up to a budget, beyond it in temporary files that are
/// mapped into memory, which the system can write out when it needs the room. When the disk is full, they stay in
/// memory. Used by one thread at a time.
final class KeyMemory {
  /// Bytes that the tables may hold in memory together.
  let budget: Int
  private let temporaryPath: String
  private var used = 0
  /// Bytes that lie in files.
  private(set) var fileBytes = 0

  /// - Parameter temporaryPath: how the names of the files begin, which lose their names once they are open.
  init(budget: Int = .max, temporaryPath: String = NSTemporaryDirectory() + "/seedbed-keys") {
    self.budget = budget
    self.temporaryPath = temporaryPath
  }

  /// Hands out memory that is filled with zeros.
  func region(_ count: Int) -> Region {
    if count > budget - min(used, budget), let file = MappedMemory.temporary(prefix: temporaryPath, count: count) {
      fileBytes += count
      // Safety: the region holds the mapping, and so the memory, as long as it lives.
      return unsafe Region(memory: self, base: file.base, count: count, file: file)
    }
    used += count
    return unsafe Region(memory: self, base: unsafe calloc(count, 1), count: count, file: nil)
  }

  /// Bytes of one table; they are given back when nothing holds them any more.
  @safe final class Region {
    @unsafe let base: UnsafeMutableRawPointer
    let count: Int
    private let file: MappedMemory?
    private let memory: KeyMemory

    fileprivate init(memory: KeyMemory, base: UnsafeMutableRawPointer?, count: Int, file: MappedMemory?) {
      guard let base = unsafe base else { preconditionFailure("no memory left for natural keys") }
      self.memory = memory
      unsafe self.base = unsafe base
      self.count = count
      self.file = file
    }

    deinit {
      if file != nil {
        memory.fileBytes -= count
      } else {
        unsafe free(base)
        memory.used -= count
      }
    }
  }
}
