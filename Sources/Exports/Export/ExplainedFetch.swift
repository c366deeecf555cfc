public import CoreDataLayout
import Foundation
public import Pipelines
public import StoreInterface

/// How rows are found in a store, and which indexes would help.
public struct ExplainedFetch: Sendable {
  /// The statement and its plan.
  public let fetch: FetchExplanation
  /// Indexes that would help; empty where the present ones do.
  public let advice: [IndexAdvice]
  /// Why there is no advice; nil where there could be some.
  public let adviceProblem: String?
  /// Whether times of advice are of a store with rows; otherwise they say nothing, and are left out.
  public let isMeasured: Bool

  /// - Parameter advisor: nil where no advice is wanted.
  package init(_ fetch: FetchExplanation, advisor: IndexAdvisor?, isMeasured: Bool = true) throws {
    self.fetch = fetch
    self.isMeasured = isMeasured
    do {
      advice = try advisor?.advice(for: fetch) ?? []
      adviceProblem = nil
    } catch let error as IndexAdviceError {
      advice = []
      adviceProblem = error.description
    }
  }

  /// For people: the statement, the plan, and for each index its declaration and its gain.
  public var text: String { statementText + "\n\n" + adviceText }

  /// The statement, its plan, and the part that is evaluated in memory.
  public var statementText: String {
    var lines = [fetch.boundStatement, "", "plan:"] + fetch.plan.map { "  " + $0 }
    if let predicate = fetch.predicateInMemory {
      lines += ["", "evaluated in memory, for every row that this finds:", "  \(predicate)"]
    }
    return lines.joined(separator: "\n")
  }

  /// Each index that would help, with its gain, or why there is none.
  public var adviceText: String {
    if let adviceProblem { return adviceProblem }
    if advice.isEmpty { return "no index would help" }
    var lines: [String] = []
    for index in advice {
      let times = [index.secondsBefore, index.secondsAfter].map { String(format: "%.2f ms", $0 * 1_000) }
      let gain =
        isMeasured ? "; in a copy, \(times[0]) became \(times[1]):" : " (there are no rows to measure it with):"
      lines.append("an index at the entity \(index.entity) would help\(gain)")
      lines += index.declaration.split(separator: "\n").map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }

  /// The same as a JSON object, for programs.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("statement", .string(fetch.statement)), ("boundStatement", .string(fetch.boundStatement)),
      ("plan", .strings(fetch.plan)), ("scansTable", .boolean(fetch.scansTable)),
      ("usesTemporaryTree", .boolean(fetch.usesTemporaryTree)),
      ("predicateInMemory", fetch.predicateInMemory.map { .string("\($0)") } ?? .null),
      ("advice", .array(advice.map(json))),
    ]
    if let adviceProblem { members.append(("adviceProblem", .string(adviceProblem))) }
    return .object(members)
  }

  private func json(_ index: IndexAdvice) -> JSONValue {
    let elements = index.elements.map { element in
      JSONValue.object([("property", .string(element.property)), ("isAscending", .boolean(element.isAscending))])
    }
    return .object([
      ("entity", .string(index.entity)), ("elements", .array(elements)), ("declaration", .string(index.declaration)),
      ("secondsBefore", isMeasured ? .double(index.secondsBefore) : .null),
      ("secondsAfter", isMeasured ? .double(index.secondsAfter) : .null),
    ])
  }
}
