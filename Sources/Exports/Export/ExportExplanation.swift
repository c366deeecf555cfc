public import CoreDataLayout
import Foundation
public import Pipelines
public import StoreInterface

/// How the objects of an export or a query are found in a store, and which indexes would help.
public struct ExportExplanation: Sendable {
  /// The statement and its plan.
  public let fetch: FetchExplanation
  /// Indexes that would help; none where those that are there do.
  public let advice: [IndexAdvice]
  /// Why there is no advice; nil where there could be some.
  public let adviceProblem: String?

  /// - Throws: what the fetch itself throws for a request that is wrong.
  package init(of request: FetchSpecification, _ store: SQLiteStore) throws {
    fetch = try store.explanation(of: request)
    do {
      advice = try store.indexAdvice(for: request)
      adviceProblem = nil
    } catch let error as IndexAdviceError {
      advice = []
      adviceProblem = error.description
    }
  }

  /// For people: the statement, the plan, and for each index its declaration and its gain.
  public var text: String {
    var lines = [fetch.boundStatement, "", "plan:"] + fetch.plan.map { "  " + $0 }
    if let predicate = fetch.predicateInMemory {
      lines += ["", "evaluated in memory, for every row that this finds:", "  \(predicate)"]
    }
    lines.append("")
    if let adviceProblem { lines.append(adviceProblem) }
    if advice.isEmpty, adviceProblem == nil { lines.append("no index would help") }
    for index in advice {
      let times = [index.secondsBefore, index.secondsAfter].map { String(format: "%.2f ms", $0 * 1_000) }
      lines += ["an index at the entity \(index.entity) would help; in a copy, \(times[0]) became \(times[1]):"]
      lines += index.declaration.split(separator: "\n").map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }

  /// For programs.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("statement", .string(fetch.statement)), ("boundStatement", .string(fetch.boundStatement)),
      ("plan", .array(fetch.plan.map { .string($0) })), ("scansTable", .boolean(fetch.scansTable)),
      ("usesTemporaryTree", .boolean(fetch.usesTemporaryTree)),
      ("predicateInMemory", fetch.predicateInMemory.map { .string("\($0)") } ?? .null),
      (
        "advice",
        .array(
          advice.map { index in
            .object([
              ("entity", .string(index.entity)),
              (
                "elements",
                .array(
                  index.elements.map {
                    .object([("property", .string($0.property)), ("isAscending", .boolean($0.isAscending))])
                  })
              ), ("declaration", .string(index.declaration)), ("secondsBefore", .double(index.secondsBefore)),
              ("secondsAfter", .double(index.secondsAfter)),
            ])
          })
      ),
    ]
    if let adviceProblem { members.append(("adviceProblem", .string(adviceProblem))) }
    return .object(members)
  }
}
