import Foundation
import ObjectModel
import Predicates

/// A batch update carried out on objects in memory.
struct ObjectUpdate {
  private let objects: StoredObjects

  init(_ store: any PersistentStore) { objects = StoredObjects(store) }

  /// - Throws: `ValidationError` with the objects whose new values break a rule.
  func plan(_ update: BatchUpdate) throws -> BatchPlan {
    let assignments = try BatchAssignment.all(update)
    let demands = ElementDemand.all(assignments, of: update.selection.entity)
    let now = Date()
    var plan = BatchPlan()
    var problems: [ValidationError.Problem] = []
    for before in try objects.fetch(update.selection.forBatch) {
      // Each assignment reads the object as it was before the others.
      let evaluator = ExpressionEvaluator(objects.subject(for: before), now: now)
      var after = before
      var violations: [ValidationError.Problem] = []
      var (isSame, hasFailed) = (true, false)
      for assignment in assignments {
        guard let index = objects.layout[before.objectID.entity].attributeIndexes[assignment.names[0]] else { continue }
        let (value, failure, wrong) = assignment.value(by: evaluator, for: before.objectID)
        if let failure {
          problems.append(failure)
          hasFailed = true
          continue
        }
        violations += wrong
        let rest = assignment.names.dropFirst()
        isSame = isSame && before.attributes[index].element(at: rest).isStoredAlike(value)
        after.attributes[index] = after.attributes[index].settingElement(at: rest, to: value)
      }
      if isSame { continue }
      for demand in demands where !hasFailed {
        guard let index = objects.layout[before.objectID.entity].attributeIndexes[demand.names[0]] else { continue }
        if demand.isBroken({ after.attributes[index].element(at: $0.dropFirst()) }) {
          violations.append(demand.problem(of: before.objectID))
        }
      }
      problems += violations
      plan.request.updated.append(after)
    }
    try objects.throwError()
    if !problems.isEmpty { throw ValidationError(problems) }
    plan.outcome.updated = BatchPlan.ordered(plan.request.updated.map(\.objectID))
    plan.outcome.updatedCount = plan.request.updated.count
    return plan
  }
}

extension Value {
  /// Whether a store keeps both values alike: texts are compared by code points, and both zeros are equal.
  fileprivate func isStoredAlike(_ other: Value) -> Bool {
    if case .double = self { return self == other }
    return isIdentical(to: other)
  }
}
