import Foundation

/// What blocks tell, from any thread.
final class Collected<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []

  func append(_ element: Element) { lock.withLock { elements.append(element) } }

  /// What was told since the last call.
  func removeAll() -> [Element] {
    lock.withLock {
      defer { elements = [] }
      return elements
    }
  }
}
