import Dispatch
import Foundation
import ImportEngine
import ObjectModel
import Pipelines

/// A line on a terminal that is drawn anew until the work is done.
final class ProgressLine {
  private let timer: any DispatchSourceTimer
  private let queue = DispatchQueue(label: "seedbed.progress")

  /// Whether there is a terminal to draw it on, and nothing else is written there.
  static func isWanted(_ log: LogFormat) -> Bool { log == .text && Terminal.canRedraw }

  /// - Parameter text: what it says, so long after the beginning; called on a queue of the line's own.
  init(_ text: @escaping @Sendable (Duration) -> String) {
    let start = ContinuousClock.now
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(300), repeating: .milliseconds(200))
    timer.setEventHandler {
      Terminal.redraw(text(ContinuousClock.now - start))
    }
    timer.resume()
  }

  /// Ends the line and clears it.
  func finish() {
    timer.cancel()
    queue.sync { Terminal.redraw("") }
  }

}

extension ProgressLine {
  /// The line of a run: records, rate, time left.
  convenience init(_ progress: RunProgress, stepNames: [String]) {
    self.init { Self.text(progress, stepNames, seconds: $0 / .seconds(1)) }
  }

  private static func text(_ progress: RunProgress, _ stepNames: [String], seconds: Double) -> String {
    let count = progress.recordCount
    let step = progress.step
    let elapsedText = ReadableText.duration(seconds)
    switch progress.phase {
    case .importing: break
    case .indexing: return "\(count.grouped) records · building indexes · \(elapsedText)"
    case .sealing: return "\(count.grouped) records · checking and sealing the store · \(elapsedText)"
    case .exporting: return "\(count.grouped) records · exporting · \(elapsedText)"
    }
    var parts: [String] = []
    if step > 0, step <= stepNames.count { parts.append("step \(step) of \(stepNames.count): \(stepNames[step - 1])") }
    parts.append("\(count.grouped) records")
    if seconds > 0 { parts.append("\((Int(Double(count) / seconds)).grouped)/s") }
    let bytes = progress.bytes
    if bytes.read > 0, bytes.total > bytes.read {
      let left = seconds / Double(bytes.read) * Double(bytes.total - bytes.read)
      parts.append("\(bytes.read * 100 / bytes.total) %, \(ReadableText.duration(left)) left")
    }
    return parts.joined(separator: " · ")
  }
}
