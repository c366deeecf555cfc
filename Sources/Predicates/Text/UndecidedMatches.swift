/// The searches of an evaluation that were given up. An evaluation says only yes or no, so what asks for it looks here
/// whether the answer counts.
package final class UndecidedMatches: @unchecked Sendable {
  // Unchecked, because only the code that runs within `$current.withValue` has it, on one thread.
  @TaskLocal static var current: UndecidedMatches?

  private var pattern: String?

  private init() {}

  func note(_ pattern: String) { self.pattern = self.pattern ?? pattern }

  /// Evaluates something with predicates in it.
  /// - Throws: what the body throws, and `UndecidedMatchError` where a search in it was given up.
  package static func rethrowing<Result>(_ body: () throws -> Result) throws -> Result {
    let matches = UndecidedMatches()
    let result = try $current.withValue(matches, operation: body)
    if let pattern = matches.pattern { throw UndecidedMatchError(pattern: pattern) }
    return result
  }
}
