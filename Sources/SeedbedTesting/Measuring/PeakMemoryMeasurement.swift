import Platform
import Seedbed
import Synchronization

/// The most memory that the process has resident from one moment on. One may be inside another.
final class PeakMemoryMeasurement {
  /// The greatest peak that a measurement has seen before the system was last told to forget it.
  private final class Seen: Sendable {
    let bytes = Atomic(0)
  }

  /// The measurements that are under way.
  private static let active = Mutex<[Seen]>([])

  private let seen = Seen()
  private let peakBefore: Int
  private let isReset: Bool

  /// Begins to look.
  init() {
    let seen = seen
    isReset = Self.active.withLock { active in
      let peak = Self.peakSinceReset ?? 0
      for other in active where other.bytes.load(ordering: .relaxed) < peak {
        other.bytes.store(peak, ordering: .relaxed)
      }
      active.append(seen)
      return Self.forget()
    }
    peakBefore = PeakMemory.bytes
  }

  deinit {
    let seen = seen
    Self.active.withLock { $0.removeAll { $0 === seen } }
  }

  /// The peak in bytes; nil where only an earlier, higher peak is known.
  var bytes: Int? {
    if isReset, let peak = Self.peakSinceReset { return max(peak, seen.bytes.load(ordering: .relaxed)) }
    let peak = PeakMemory.bytes
    return peak > peakBefore ? peak : nil
  }

  /// Has Linux forget the peak so far (`clear_refs` in proc(5)).
  /// - Returns: whether it did.
  private static func forget() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    defer { try? file.close() }
    return (try? file.write(contentsOf: Data("5".utf8))) != nil
  }

  private static var peakSinceReset: Int? {
    guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return nil }
    defer { try? file.close() }
    guard let data = try? file.readToEnd() else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    return text.firstMatch(of: /VmHWM:\s*([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 << 10 }
  }
}
