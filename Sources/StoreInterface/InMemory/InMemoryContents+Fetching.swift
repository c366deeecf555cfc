import Foundation
import ObjectModel

extension InMemoryContents {
  /// The rows that a request selects, in its order, limit and offset included.
  func snapshots(_ request: FetchRequest) -> [Snapshot] {
    var found = selected(request)
    sort(&found, by: request.sortDescriptors)
    return request.page(found)
  }

  /// The rows that meet the predicate, by primary key.
  private func selected(_ request: FetchRequest) -> [Snapshot] {
    let now = Date()
    let predicate = request.predicate.compacted(for: request.entity, now: now)
    let matcher = PredicateMatcher(predicate, now: now)
    let entity = request.entity
    var found: [Snapshot] = []
    func consider(_ row: Snapshot) {
      let isSelected =
        request.includesSubentities ? row.objectID.entity.isKind(of: entity) : row.objectID.entity == entity
      if isSelected, matcher.matches(StoredSubject(contents: self, row: row)) { found.append(row) }
    }
    if case .selfIsIn(let objectIDs) = predicate {
      for objectID in Set(objectIDs) { row(objectID).map(consider) }
    } else {
      rows[entity.root.index].values.forEach(consider)
    }
    return found.sorted { ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0) }
  }

  private func sort(_ found: inout [Snapshot], by descriptors: [FetchRequest.SortDescriptor]) {
    if descriptors.isEmpty { return }
    let keyed = found.enumerated().map { position, row in
      let subject = StoredSubject(contents: self, row: row)
      return (position: position, values: descriptors.map { subject.value(at: $0.keyPath) })
    }
    let ordered = keyed.sorted { left, right in
      for (index, descriptor) in descriptors.enumerated() {
        let order = descriptor.comparison.order(left.values[index], right.values[index])
        if order != 0 { return (order < 0) == descriptor.isAscending }
      }
      return left.position < right.position
    }
    found = ordered.map { found[$0.position] }
  }

  // MARK: dictionaries

  /// One row of a request for dictionaries, with what it is ordered by.
  private struct ResultRow {
    var cells: [ExpressionValue]
    /// By the sort descriptors.
    var sortValues: [ExpressionValue]
    /// By what decides after that.
    var tieValues: [ExpressionValue]
  }

  /// The cells of the rows that a request for dictionaries selects, in its order.
  func resultRows(_ request: FetchRequest) -> [[ExpressionValue]] {
    let now = Date()
    let subjects = selected(request).map { StoredSubject(contents: self, row: $0) }
    let columns = request.fetchedColumns.map(\.expression)
    let sorts = request.sortExpressions
    var rows: [ResultRow] = []
    func add(_ evaluator: ExpressionEvaluator<StoredSubject>, ties: [ExpressionValue]) {
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
    let ordered = rows.enumerated().sorted { left, right in
      for (index, sort) in sorts.enumerated() {
        let order = sort.descriptor.comparison.order(
          left.element.sortValues[index].sortValue, right.element.sortValues[index].sortValue)
        if order != 0 { return (order < 0) == sort.descriptor.isAscending }
      }
      for (first, second) in zip(left.element.tieValues, right.element.tieValues) {
        let order = Value.sortOrder(first.sortValue, second.sortValue)
        if order != 0 { return order < 0 }
      }
      return left.offset < right.offset
    }
    return request.page(ordered.map(\.element.cells))
  }

  /// The objects by the values that group them, each group in the order of its objects; one group where nothing does.
  private func groups(
    _ subjects: [StoredSubject], by expressions: [Expression], _ now: Date
  ) -> [(keys: [ExpressionValue], group: [StoredSubject])] {
    if expressions.isEmpty { return [([], subjects)] }
    var positions: [[ValueKey]: Int] = [:]
    var groups: [(keys: [ExpressionValue], group: [StoredSubject])] = []
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

extension FetchRequest {
  /// What the limit and the offset leave of a result.
  func page<Element>(_ found: [Element]) -> [Element] {
    let rest = found.dropFirst(max(fetchOffset, 0))
    return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
  }
}

extension ExpressionValue {
  /// What the value sorts as: an object as its primary key.
  var sortValue: Value {
    if case .object(let objectID) = self { return objectID.primaryKey.map { .integer($0) } ?? .null }
    return plainValue
  }
}
