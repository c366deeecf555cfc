import Foundation

/// A bounded queue between two stages. Its capacity is the number of credits the upstream stage has: when they are
/// used up, `send` waits, which is how a slow stage slows down those before it.
package final class Channel<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [Element] = []
  private var head = 0
  private let capacity: Int
  private var failure: (any Error)?
  private var isFinished = false
  private var isCancelled = false
  private let sending: (any WaitMeter)?
  private let receiving: (any WaitMeter)?

  /// - Parameters:
  ///   - sending: the meter of the waits of `send`.
  ///   - receiving: the meter of the waits of `receive`.
  package init(capacity: Int, sending: (any WaitMeter)? = nil, receiving: (any WaitMeter)? = nil) {
    self.capacity = max(capacity, 1)
    self.sending = sending
    self.receiving = receiving
  }

  /// Waits for a free credit and appends.
  /// - Returns: false when the receiver has gone away; the sender then stops.
  package func send(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    condition.wait(as: sending) { elements.count - head >= capacity && !isCancelled }
    if isCancelled { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Ends sending. An error is thrown to the receiver after the elements already sent.
  package func finish(throwing error: (any Error)? = nil) {
    condition.lock()
    defer { condition.unlock() }
    guard !isFinished else { return }
    isFinished = true
    failure = error
    condition.broadcast()
  }

  /// The next element, or nil at the end.
  package func receive() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    condition.wait(as: receiving) { elements.count == head && !isFinished && !isCancelled }
    if isCancelled { return nil }
    guard elements.count > head else {
      if let failure { throw failure }
      return nil
    }
    let element = elements[head]
    head += 1
    if head == elements.count || head > 64 {
      elements.removeFirst(head)
      head = 0
    }
    condition.broadcast()
    return element
  }

  /// Stops receiving: senders stop waiting.
  package func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    elements.removeAll()
    head = 0
    condition.broadcast()
  }
}
