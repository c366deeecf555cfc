import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Standard output for data, standard error for talk.
enum Terminal {
  /// Whether standard error is a terminal that can redraw a line.
  static var canRedraw: Bool {
    isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Whether standard output may carry colours.
  static var hasColors: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(1) == 1 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// The command as the user called it; the launcher tells its own name.
  static var commandName: String {
    ProcessInfo.processInfo.environment["SEEDBED_COMMAND"] ?? CommandLine.arguments.first ?? "seedbed"
  }

  /// A line on standard error.
  static func say(_ text: String) { write(text + "\n", to: .standardError) }

  /// A line on standard output.
  static func print(_ text: String) { write(text + "\n", to: .standardOutput) }

  /// Replaces the current line of standard error.
  static func redraw(_ text: String) { write("\r\u{1B}[2K" + text, to: .standardError) }

  static func bold(_ text: String) -> String { hasColors ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  private static func write(_ text: String, to file: FileHandle) {
    // Nothing sensible is left to do when even the terminal cannot be written to.
    try? file.write(contentsOf: Data(text.utf8))
  }
}

/// Numbers as people read them.
enum Format {
  /// With commas between groups of three digits.
  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var position = digits.count - 3
    while position > 0 {
      digits.insert(",", at: position)
      position -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// A number and what is counted, in the singular or the plural.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    grouped(number) + " " + (number == 1 ? one : many)
  }

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

  static func bytes(_ count: Int) -> String {
    var value = Double(count)
    for unit in ["bytes", "KB", "MB", "GB"] {
      if value < 1000 || unit == "GB" { return unit == "bytes" ? "\(count) bytes" : fixed(value, 1) + " " + unit }
      value /= 1000
    }
    return "\(count) bytes"
  }

  /// With so many digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let scaled = Int((value * scale).rounded())
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
