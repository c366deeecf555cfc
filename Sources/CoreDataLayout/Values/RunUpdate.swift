import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Updates rows whose keys follow each other with one statement, which asks a function of SQL for their new values: to bind and
/// run a statement for each row takes twice as long.
final class RunUpdate {
  /// `function(key, n)` is the value of the n-th column in the row of that key; null while no run is written.
  private static let function = "seedbed_saved"
  /// Shorter runs are written row by row.
  static let leastCount = 16

  private struct Run {
    var firstKey: Int64
    var count: Int
    var value: (_ row: Int, _ column: Int) -> FunctionValue
  }

  /// What the function answers from; the connection keeps both.
  private final class Current {
    var run: Run?
  }

  private let current = Current()

  init(_ connection: Connection) throws(SQLiteError) {
    try connection.registerFunction(Self.function, argumentCount: 2) { [current] arguments in
      guard let run = current.run, case .integer(let key) = arguments[0], case .integer(let column) = arguments[1],
        key >= run.firstKey, key - run.firstKey < Int64(run.count)
      else { return .null }
      return run.value(Int(key - run.firstKey), Int(column))
    }
  }

  /// What a column of that place is set to.
  static func value(ofColumn index: Int) -> String { "\(function)(Z_PK, \(index))" }

  /// Runs a statement over the keys from ?1 to ?2.
  /// - Parameter value: gives the value of a column in a row of the run, both by their positions.
  func write(
    _ statement: Statement, firstKey: Int64, count: Int, _ value: (_ row: Int, _ column: Int) -> FunctionValue
  ) throws {
    try withoutActuallyEscaping(value) { value in
      current.run = Run(firstKey: firstKey, count: count, value: value)
      defer { current.run = nil }
      try statement.bind(1, firstKey)
      try statement.bind(2, firstKey + Int64(count) - 1)
      try statement.run()
    }
  }

  /// What the function gives for a value; nil where it has to be bound.
  static func functionValue(_ value: Value, _ kind: RowPlan.Kind) -> FunctionValue? {
    switch (value, kind) {
    case (.null, _): .null
    case (.integer(let number), .integer): .integer(number)
    case (.boolean(let flag), .integer): .integer(flag ? 1 : 0)
    case (.integer(let number), .real): .real(Double(number))
    case (.double(let number), .real): number.isNaN ? nil : .real(number)
    case (.date(let date), .real):
      date.timeIntervalSinceReferenceDate.isNaN ? nil : .real(date.timeIntervalSinceReferenceDate)
    case (.string(let text), .text): .text(text)
    default: nil
    }
  }
}
