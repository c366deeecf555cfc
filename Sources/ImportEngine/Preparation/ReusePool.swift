import Synchronization

/// Objects that are costly to make and used again, by any thread.
final class ReusePool<Element: AnyObject & Sendable>: Sendable {
  private let free = Mutex<[Element]>([])
  private let make: @Sendable () -> Element

  init(_ make: @escaping @Sendable () -> Element) { self.make = make }

  func checkOut() -> Element { free.withLock { $0.popLast() } ?? make() }

  func put(_ element: Element) { free.withLock { $0.append(element) } }
}
