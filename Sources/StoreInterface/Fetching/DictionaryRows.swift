import Foundation
package import ObjectModel
package import Predicates

/// Computes the rows of requests for dictionaries from the objects. It is the readable reference, and stores use it for
/// requests that their own language cannot express.
package enum DictionaryRows {
  /// One row of a request for dictionaries, with what it is ordered by.
  private struct ResultRow {
    var cells: [ExpressionValue]
    /// Sort keys: the values of the sort descriptors.
    var sortValues: [ExpressionValue]
    /// The values that order rows whose sort values are equal.
    var tieValues: [ExpressionValue]
  }

  /// The rows of a request for dictionaries.
  /// - Parameter subjects: the objects that meet the predicate, by primary key.
  /// - Throws: `UndecidedMatchError`.
  package static func compute<Subject: PredicateSubject>(
    _ request: FetchSpecification, of subjects: [Subject], storeIdentifier: String, model: ManagedObjectModel
  ) throws -> FetchedRows {
    var builder = FetchedRows.Builder(
      columns: request.fetchedColumns.map(\.name), storeIdentifier: storeIdentifier, model: model)
    for row in try UndecidedMatches.rethrowing({ cells(request, of: subjects) }) {
      for cell in row { builder.append(cell) }
    }
    return builder.finish()
  }

  private static func cells<Subject: PredicateSubject>(
    _ request: FetchSpecification, of subjects: [Subject]
  ) -> [[ExpressionValue]] {
    let now = Date()
    let columns = request.fetchedColumns.map(\.expression)
    let sorts = request.sortExpressions
    var rows: [ResultRow] = []
    func add(_ evaluator: ExpressionEvaluator<Subject>, ties: [ExpressionValue]) {
      rows.append(
        ResultRow(
          cells: columns.map { evaluator.value($0) }, sortValues: sorts.map { evaluator.value($0.expression) },
          tieValues: ties))
    }
    if request.isGrouped {
      let having = request.resolvedHavingPredicate
      for (keys, group) in groups(subjects, by: request.groupExpressions, now) {
        let evaluator = ExpressionEvaluator(group: group, now: now)
        if having.map({ evaluator.holds($0) }) ?? true { add(evaluator, ties: keys) }
      }
    } else {
      for subject in subjects { add(ExpressionEvaluator(subject, now: now), ties: []) }
    }
    if request.returnsDistinctResults {
      var seen: Set<[ValueKey]> = []
      rows = rows.filter { seen.insert($0.cells.map { ValueKey($0) }).inserted }
      for index in rows.indices { rows[index].tieValues = rows[index].cells }
    }
    let descriptors = sorts.map { $0.descriptor }
    let ordered = rows.enumerated().sorted { left, right in
      let (values, others) = (left.element.sortValues, right.element.sortValues)
      if let precedes = descriptors.precedes({ values[$0].sortValue }, { others[$0].sortValue }) { return precedes }
      for (first, second) in zip(left.element.tieValues, right.element.tieValues) {
        let order = Value.sortOrder(first.sortValue, second.sortValue)
        if order != 0 { return order < 0 }
      }
      return left.offset < right.offset
    }
    return request.page(ordered.map(\.element.cells))
  }

  /// The objects in groups by their group keys, each group in the order of its objects; one group when there are no
  /// keys.
  private static func groups<Subject: PredicateSubject>(
    _ subjects: [Subject], by expressions: [FetchExpression], _ now: Date
  ) -> [(keys: [ExpressionValue], group: [Subject])] {
    if expressions.isEmpty { return [([], subjects)] }
    var positions: [[ValueKey]: Int] = [:]
    var groups: [(keys: [ExpressionValue], group: [Subject])] = []
    for subject in subjects {
      let evaluator = ExpressionEvaluator(subject, now: now)
      let keys = expressions.map { evaluator.value($0) }
      let key = keys.map { ValueKey($0) }
      if let position = positions[key] {
        groups[position].group.append(subject)
      } else {
        positions[key] = groups.count
        groups.append((keys, [subject]))
      }
    }
    return groups
  }
}

extension ExpressionValue {
  /// The value to sort by: an object sorts by its primary key.
  fileprivate var sortValue: Value {
    if case .object(let objectID) = self { return objectID.primaryKey.map { .integer($0) } ?? .null }
    return plainValue
  }
}
