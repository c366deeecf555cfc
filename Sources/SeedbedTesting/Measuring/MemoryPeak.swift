import Platform
import Seedbed

/// The most memory that the process has resident from one moment on.
struct MemoryPeak {
  private let peakBefore: Int
  private let isReset: Bool

  /// Begins to look.
  init() {
    isReset = Self.forget()
    peakBefore = PeakMemory.bytes
  }

  /// In bytes; nil where only an earlier, higher peak is known.
  var bytes: Int? {
    if isReset, let peak = Self.peakSinceReset { return peak }
    let peak = PeakMemory.bytes
    return peak > peakBefore ? peak : nil
  }

  /// Linux forgets the peak of a process that asks for it, and tells the new one there (proc(5)). `getrusage` goes on with
  /// what the process that started this one had.
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
