import ArgumentParser

/// How errors are written.
struct LogOptions: ParsableArguments {
  @Option(help: "How errors are written to standard error: text or json.")
  var logFormat: LogFormat = .text
}
