import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension RandomFetch {
  mutating func request() throws -> FetchSpecification {
    let entity = pick(model.entities)
    var request = FetchSpecification(entity)
    request.predicate = below(8) == 0 ? .all : predicate(entity, depth: 3)
    request.includesSubentities = below(3) > 0
    for _ in 0..<below(3) {
      let (path, end) = toOnePath(entity)
      let attributes = Self.comparable(end)
      if attributes.isEmpty { continue }
      let attribute = pick(attributes)
      request.sortDescriptors.append(
        FetchSortDescriptor(
          path + attribute.names, ascending: below(2) == 0,
          comparison: pick([.binary, .binary, .localizedStandard, .caseInsensitive])))
    }
    if below(3) == 0 { request.fetchLimit = 1 + below(6) }
    if below(3) == 0 { request.fetchOffset = below(5) }
    return request
  }

  /// A request for dictionaries: plain columns, distinct ones, or groups with aggregates.
  mutating func rowRequest() throws -> FetchSpecification {
    var request = try request()
    let entity = request.entity
    request.resultType = .dictionaries
    request.sortDescriptors = []
    let keys = Self.comparable(entity).map(\.names) + entity.relationships.filter { !$0.isToMany }.map { [$0.name] }
    switch keys.isEmpty ? 2 : below(3) {
    case 0:
      let count = 1 + below(3)
      request.propertiesToFetch = (0..<count).map { index in
        let expression = below(3) == 0 ? text(entity, depth: 1) : number(entity, depth: 2)
        return FetchedExpression("c\(index)", below(3) == 0 ? .keyPath(pick(keys)) : expression)
      }
      if below(2) == 0 { request.sortDescriptors = [FetchSortDescriptor(["c0"], ascending: below(2) == 0)] }
      request.returnsDistinctResults = below(2) == 0
    case 1:
      let groups = Set([pick(keys)] + (below(3) == 0 ? [pick(keys)] : [])).sorted { $0.lexicographicallyPrecedes($1) }
      request.propertiesToGroupBy = groups
      request.propertiesToFetch = groups.map { FetchedExpression(keyPath: $0) } + aggregates(entity)
      if below(2) == 0 { request.havingPredicate = having(entity) }
      if below(2) == 0 { request.sortDescriptors = [FetchSortDescriptor(["n"], ascending: below(2) == 0)] }
    default: request.propertiesToFetch = aggregates(entity)
    }
    return request
  }

  private mutating func having(_ entity: Entity) -> FetchPredicate {
    let count = FetchExpression.function(.count, [.selfObject])
    let limit = FetchExpression.constant(.integer(Int64(below(4))))
    guard below(2) == 0, let name = Self.attributes(entity, .number).randomElement(using: &random) else {
      return .compare(.init(count, pick([.greater, .lessOrEqual]), limit))
    }
    let function = pick([FetchExpression.Function.sum, .minimum, .maximum, .average, .count])
    let value = FetchExpression.keyPath(name)
    let operand = below(3) == 0 ? FetchExpression.function(.distinct, [value]) : value
    let comparison = FetchPredicate.compare(
      .init(.function(function, [operand]), pick([.greater, .lessOrEqual]), limit))
    return below(3) == 0 ? .or([comparison, .compare(.init(count, .equal, limit))]) : comparison
  }

  private mutating func aggregates(_ entity: Entity) -> [FetchedExpression] {
    let name = Self.attributes(entity, .number).first ?? Self.attributes(entity, .text).first
    let value = name.flatMap { below(3) == 0 ? nil : .keyPath($0) } ?? number(entity, depth: 1)
    let function = pick([
      FetchExpression.Function.sum, .average, .minimum, .maximum, .median, .standardDeviation, .count,
    ])
    let operand = below(4) == 0 ? FetchExpression.function(.distinct, [value]) : value
    let alone = name.flatMap { name in
      below(4) == 0 ? FetchExpression.collection(pick([.sum, .maximum]), of: .selfObject, name) : nil
    }
    return [
      FetchedExpression("n", pick([.function(.count, [.selfObject]), .collection(.count, of: .selfObject, [])])),
      FetchedExpression("f", alone ?? .function(function, [operand])),
    ]
  }
}
