import Foundation
import ObjectModel
import SQLite

/// Updates rows whose keys follow each other with one statement, which asks a function of SQL for their new values:
/// binding and running a statement for each row takes twice as long.
final class RunUpdate {
  /// `function(key, n)` is the value of the n-th column in the row of that key; null while no run is written.
  private static let function = "seedbed_saved"
  /// Shorter runs are written row by row.
  static let leastCount = 16

  /// The run that is being written, from which the function takes its values. The connection keeps both.
  private final class Current {
    var firstKey: Int64 = 0
    /// 0 while no run is written.
    var count: Int64 = 0
    var value: (_ row: Int, _ column: Int) -> FunctionValue = { _, _ in .null }

    /// Ends the run.
    func end() {
      count = 0
      value = { _, _ in .null }
    }
  }

  private let current = Current()

  init(_ connection: Connection) throws(SQLiteError) {
    try connection.registerFunction(Self.function, argumentCount: 2) { [current] arguments in
      guard case .integer(let key) = arguments[0], case .integer(let column) = arguments[1],
        key >= current.firstKey, key - current.firstKey < current.count
      else { return .null }
      return current.value(Int(key - current.firstKey), Int(column))
    }
  }

  /// The SQL that a column at a position is set to.
  static func value(ofColumn index: Int) -> String { "\(function)(Z_PK, \(index))" }

  /// Runs a statement over the keys from ?1 to ?2.
  /// - Parameter value: gives the value of a column in a row of the run, both by their positions.
  func write(
    _ statement: Statement, firstKey: Int64, count: Int, _ value: (_ row: Int, _ column: Int) -> FunctionValue
  ) throws {
    try withoutActuallyEscaping(value) { value in
      (current.firstKey, current.count, current.value) = (firstKey, Int64(count), value)
      defer { current.end() }
      try statement.bind(1, firstKey)
      try statement.bind(2, firstKey + Int64(count) - 1)
      try statement.run()
    }
  }

  /// The function's result for a value; nil where the value has to be bound.
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
