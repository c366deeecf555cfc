import Foundation
import ImportEngine
import Pipelines
import Platform

/// Standard output for data, standard error for talk.
enum Terminal {
  /// Whether standard error is a terminal that can redraw a line.
  static var canRedraw: Bool {
    isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Whether standard output may carry colours. Asked once: to read the environment takes longer than a line.
  static let hasColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isatty(1) == 1 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }()

  /// The command as the user called it; the launcher passes its own name in `SEEDBED_COMMAND`.
  static var commandName: String {
    ProcessInfo.processInfo.environment["SEEDBED_COMMAND"] ?? CommandLine.arguments.first ?? "seedbed"
  }

  /// A line on standard error.
  static func say(_ text: String) { write(shown(text) + "\n") }

  /// A line on standard output. Ends the process where that cannot be written to: with 74, or quietly where its reader
  /// went away (`seedbed … | head`).
  /// - Parameter failure: why the command fails, which is reported all the same.
  static func print(_ text: String, of failure: CommandFailure? = nil) {
    let bytes = Array((shown(text) + "\n").utf8)
    guard let number = write(bytes, to: STDOUT_FILENO) else { return }
    if number == EPIPE { endByBrokenPipe() }
    if let failure { failure.end() }
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    let error = RunError(
      .inputOutput, code: "output.write", "cannot write to standard output: \(reason)",
      hint: "what the command wrote to files is complete")
    CommandFailure(error, store: "", format: .ofCommandLine).end()
  }

  /// Replaces the current line of standard error.
  static func redraw(_ text: String) { write("\r\u{1B}[2K" + shown(text)) }

  static func bold(_ text: String) -> String { hasColors ? "\(boldStart)\(text)\(boldEnd)" : text }

  /// Ends the process as a program ends that leaves SIGPIPE to the system.
  static func endByBrokenPipe() -> Never {
    _ = signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(141)
  }

  // Characters for private use, until the text has been made harmless.
  private static let boldStart = "\u{10FFFC}"
  private static let boldEnd = "\u{10FFFD}"

  /// The text as it goes out.
  private static func shown(_ text: String) -> String {
    let text = HarmlessText.of(text)
    guard hasColors else { return text }
    return text.replacing(boldStart, with: "\u{1B}[1m").replacing(boldEnd, with: "\u{1B}[0m")
  }

  private static func write(_ text: String) {
    // Nothing sensible is left to do when even the terminal cannot be written to.
    _ = write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// - Returns: the number of the error, nil when all went out.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    do throws(SystemError) {
      try FileDescriptor.write(descriptor, bytes, to: "standard output")
      return nil
    } catch {
      return error.number
    }
  }
}

/// Numbers as people read them.
enum ReadableText {
  static func seconds(_ seconds: Double) -> String {
    seconds < 100 ? fixed(seconds, 2) + " s" : duration(seconds)
  }

  /// `1:02:03` or `4:05`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    let tail = (whole / 60 % 60, whole % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return whole >= 3600 ? "\(whole / 3600):\(two(tail.0)):\(two(tail.1))" : "\(tail.0):\(two(tail.1))"
  }

  /// A number with this many digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let scaled = Int((value * scale).rounded())
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
