import ArgumentParser

/// The option `--limit` of commands that show or write the first of what they find.
enum LimitOption {
  /// - Throws: why the number is no limit.
  static func check(_ limit: Int?) throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
  }
}
