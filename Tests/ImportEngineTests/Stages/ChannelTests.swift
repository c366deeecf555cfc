import Dispatch
import Foundation
import Platform
import Synchronization
import Testing

@Suite("Queues between stages", .timeLimit(.minutes(20)))
struct ChannelTests {
  struct Failure: Error, Equatable {}

  @Test("one sender's elements arrive in order, whatever the capacity", arguments: [1, 2, 3, 64, 1000])
  func order(capacity: Int) throws {
    let channel = Channel<Int>(capacity: capacity)
    DispatchQueue(label: "sender").async {
      for number in 0..<1000 { #expect(channel.send(number)) }
      channel.finish()
    }
    for number in 0..<1000 { #expect(try channel.receive() == number) }
    #expect(try channel.receive() == nil)
    #expect(try channel.receive() == nil, "the end stays the end")
  }

  private final class Lead: Sendable {
    let sent = Atomic<Int>(0)
    let received = Atomic<Int>(0)
    let greatest = Atomic<Int>(0)
  }

  @Test("a sender is never ahead by more than its credits", arguments: [1, 4])
  func backPressure(capacity: Int) throws {
    let channel = Channel<Int>(capacity: capacity)
    let lead = Lead()
    DispatchQueue(label: "sender").async {
      for number in 0..<500 {
        #expect(channel.send(number))
        let sent = lead.sent.add(1, ordering: .sequentiallyConsistent).newValue
        let ahead = sent - lead.received.load(ordering: .sequentiallyConsistent)
        lead.greatest.max(ahead, ordering: .sequentiallyConsistent)
      }
      channel.finish()
    }
    while try channel.receive() != nil { lead.received.add(1, ordering: .sequentiallyConsistent) }
    // The receiver counts after it has received, so one element may be on its way.
    #expect(lead.greatest.load(ordering: .sequentiallyConsistent) <= capacity + 1)
  }

  @Test("several senders and receivers lose and repeat nothing")
  func manyToMany() {
    let channel = Channel<Int>(capacity: 3)
    let sum = Mutex<[Int]>([])
    let senders = DispatchGroup()
    let receivers = DispatchGroup()
    for sender in 0..<3 {
      DispatchQueue(label: "sender").async(group: senders) {
        for number in 0..<300 { _ = channel.send(sender * 300 + number) }
      }
    }
    for _ in 0..<3 {
      DispatchQueue(label: "receiver").async(group: receivers) {
        while let element = try? channel.receive() { sum.withLock { $0.append(element) } }
      }
    }
    senders.wait()
    channel.finish()
    receivers.wait()
    #expect(sum.withLock { $0.sorted() } == Array(0..<900))
  }

  @Test("an error comes after the elements sent before it, and again on every further call")
  func errorAfterElements() throws {
    let channel = Channel<Int>(capacity: 8)
    for number in 0..<5 { #expect(channel.send(number)) }
    channel.finish(throwing: Failure())
    channel.finish()
    for number in 0..<5 { #expect(try channel.receive() == number) }
    for _ in 0..<2 { #expect(throws: Failure.self) { try channel.receive() } }
  }

  @Test("when the receiver goes away, a waiting sender stops")
  func cancelledSender() {
    let channel = Channel<Int>(capacity: 1)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "sender").async {
      var number = 0
      while channel.send(number) { number += 1 }
      done.signal()
    }
    #expect((try? channel.receive()) == 0)
    channel.cancel()
    done.wait()
    #expect(!channel.send(1))
  }

  @Test("a waiting receiver stops when the channel is cancelled")
  func cancelledReceiver() {
    let channel = Channel<Int>(capacity: 1)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "receiver").async {
      #expect((try? channel.receive()) == nil)
      done.signal()
    }
    channel.cancel()
    done.wait()
  }
}
