import Synchronization

/// Counts the statements that ran, and the rows that they gave. Connections may share one; any thread may read it.
public final class StatementCounter: Sendable {
  private let ran = Atomic(0)
  private let given = Atomic(0)

  /// A counter at zero.
  public init() {}

  /// Statements that began to run, those that begin and end transactions among them.
  public var statements: Int { ran.load(ordering: .relaxed) }
  /// Rows that statements gave, of those that were reset since or gave their last row.
  public var rows: Int { given.load(ordering: .relaxed) }

  func noteBegin() { ran.wrappingAdd(1, ordering: .relaxed) }
  func add(rows count: Int) { given.wrappingAdd(count, ordering: .relaxed) }
}
