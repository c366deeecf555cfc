public import Predicates

/// The capability of a store to say how it would answer a request.
public protocol FetchExplaining: PersistentStore {
  /// How the results of a request, by its `resultType`, would be found. Nothing is fetched.
  /// - Throws: what the fetch itself throws for a request that is wrong.
  func explanation(of request: FetchSpecification) throws -> FetchExplanation
}

/// How a store answers a request: the statement, and how SQLite means to run it.
public struct FetchExplanation: Sendable, Hashable, CustomStringConvertible {
  /// The statement, with `?1` and so on for values.
  public var statement: String
  /// The statement with its values in their places, for the `sqlite3` shell; long lists are left out of it.
  public var boundStatement: String
  /// The plan, a line for each part and indented by depth, in SQLite's words; costly parts are marked by an arrow.
  public var plan: [String]
  /// Whether all rows of a table are looked at, because no index helps.
  public var scansTable: Bool
  /// Whether rows are sorted after they were found, because no index has their order.
  public var usesTemporaryTree: Bool
  /// The part of the predicate that SQL cannot express: it is evaluated in memory, for the rows that meet the rest. Nil
  /// for none.
  public var predicateInMemory: FetchPredicate?

  /// An explanation with all its parts.
  public init(
    statement: String, boundStatement: String, plan: [String], scansTable: Bool, usesTemporaryTree: Bool,
    predicateInMemory: FetchPredicate?
  ) {
    self.statement = statement
    self.boundStatement = boundStatement
    self.plan = plan
    self.scansTable = scansTable
    self.usesTemporaryTree = usesTemporaryTree
    self.predicateInMemory = predicateInMemory
  }

  /// The statement and the plan below it.
  public var description: String {
    var lines = [boundStatement] + plan.map { "  " + $0 }
    if let predicateInMemory { lines.append("  in memory: \(predicateInMemory)") }
    return lines.joined(separator: "\n")
  }
}
