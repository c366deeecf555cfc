import Foundation
import Platform

/// How often memory was allocated, where something counts it: a library that stands before the C library's functions
/// and was loaded together with the program (`scripts/count-allocations`). The C library itself does not count.
enum AllocationCount {
  private typealias Counter = @convention(c) () -> UInt

  private static let thread = counter("seedbed_allocations_of_thread")
  private static let process = counter("seedbed_allocations_of_process")

  /// Whether allocations are counted.
  static var isOn: Bool { thread != nil }
  /// Those of the caller's thread so far.
  static var ofThread: Int? { thread.map { Int($0()) } }
  /// Those of all threads so far.
  static var ofProcess: Int? { process.map { Int($0()) } }

  private static func counter(_ name: String) -> Counter? {
    #if canImport(Darwin)
      let found = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: -2), name)
    #else
      let found = unsafe dlsym(nil, name)
    #endif
    guard let symbol = unsafe found else { return nil }
    // Safety: no other function has the name, so that the function is the one that this program declares here.
    return unsafe unsafeBitCast(symbol, to: Counter.self)
  }
}
