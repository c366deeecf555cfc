import Dispatch
import Foundation
import ImportEngine

/// The progress line of a run on a terminal: records, rate, time left.
final class ProgressLine {
  private let timer: any DispatchSourceTimer
  private let queue = DispatchQueue(label: "seedbed.progress")

  init(_ progress: RunProgress, stepNames: [String]) {
    let start = ContinuousClock.now
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(300), repeating: .milliseconds(200))
    timer.setEventHandler {
      Terminal.redraw(Self.text(progress, stepNames, elapsed: ContinuousClock.now - start))
    }
    timer.resume()
  }

  /// Ends the line and clears it.
  func finish() {
    timer.cancel()
    queue.sync { Terminal.redraw("") }
  }

  private static func text(_ progress: RunProgress, _ stepNames: [String], elapsed: Duration) -> String {
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let count = progress.recordCount
    let step = progress.step
    let elapsedText = Format.duration(seconds)
    switch progress.phase {
    case .importing: break
    case .indexing: return "\(Format.grouped(count)) records · building indexes · \(elapsedText)"
    case .sealing: return "\(Format.grouped(count)) records · checking and sealing the store · \(elapsedText)"
    case .exporting: return "\(Format.grouped(count)) records · exporting · \(elapsedText)"
    }
    var parts: [String] = []
    if step > 0, step <= stepNames.count { parts.append("step \(step) of \(stepNames.count): \(stepNames[step - 1])") }
    parts.append("\(Format.grouped(count)) records")
    if seconds > 0 { parts.append("\(Format.grouped(Int(Double(count) / seconds)))/s") }
    let bytes = progress.bytes
    if bytes.read > 0, bytes.total > bytes.read {
      let left = seconds / Double(bytes.read) * Double(bytes.total - bytes.read)
      parts.append("\(bytes.read * 100 / bytes.total) %, \(Format.duration(left)) left")
    }
    return parts.joined(separator: " · ")
  }
}
