import ObjectModel
import Pipelines
import StoreInterface

/// The choice of a step's strategy, and the reason.
struct StrategyChoice: Sendable {
  /// One of bulk, upsert, findOrCreate, restore; never automatic.
  var strategy: ImportStep.Strategy
  var reason: String

  /// Chooses a strategy, or checks the one that the pipeline states.
  /// - Parameters:
  ///   - preferred: taken where the pipeline states no strategy for the step and the step can be done so.
  ///   - isEmpty: whether no row of the entity's table exists.
  ///   - wasEmpty: whether the table was empty when the run began.
  ///   - isHeld: whether records of the entity are held back, which may have the keys of the step's.
  static func choose(
    _ plan: StepPlan, preferred: ImportStep.Strategy? = nil, isEmpty: (Entity) -> Bool, wasEmpty: (Entity) -> Bool,
    isHeld: (Entity) -> Bool = { _ in false }
  ) throws(RunError) -> StrategyChoice {
    let heldObstacle =
      isHeld(plan.root.entity)
      ? "records of an earlier step wait that may be of the same \(plan.root.entity.name)" : nil
    var bulkObstacle = bulkObstacle(plan, isEmpty: isEmpty)
    var upsertObstacle = upsertObstacle(plan)
    switch plan.step.strategy {
    case .automatic:
      // A stated strategy is not refused for what the data are.
      bulkObstacle = heldObstacle ?? bulkObstacle
      upsertObstacle = heldObstacle ?? upsertObstacle
      let wish = plan.step.statesStrategy ? nil : preferred
      switch wish {
      case .findOrCreate: return StrategyChoice(strategy: .findOrCreate, reason: "as asked for")
      case .upsert where upsertObstacle == nil: return StrategyChoice(strategy: .upsert, reason: "as asked for")
      default: break
      }
      if bulkObstacle == nil {
        let reason =
          switch wish {
          case .bulk: "as asked for"
          case .upsert: "the table is empty; not upsert as asked for: \(upsertObstacle ?? "")"
          default: "the table is empty"
          }
        return StrategyChoice(strategy: .bulk, reason: reason)
      }
      let refusal = "not bulk\(wish == .bulk ? " as asked for" : ""): \(bulkObstacle ?? "")"
      if upsertObstacle == nil {
        return StrategyChoice(strategy: .upsert, reason: "match is a uniqueness constraint; \(refusal)")
      }
      return StrategyChoice(
        strategy: .findOrCreate,
        reason: wish == .bulk
          ? refusal : "not upsert\(wish == .upsert ? " as asked for" : ""): \(upsertObstacle ?? "")")
    case .bulk:
      if let bulkObstacle { throw refusal(plan, "bulk", bulkObstacle) }
      return StrategyChoice(strategy: .bulk, reason: "as stated")
    case .upsert:
      if let upsertObstacle { throw refusal(plan, "upsert", upsertObstacle) }
      return StrategyChoice(strategy: .upsert, reason: "as stated")
    case .restore:
      if let obstacle = restoreObstacle(plan, wasEmpty) { throw refusal(plan, "restore", obstacle) }
      return StrategyChoice(strategy: .restore, reason: "as stated")
    case .findOrCreate:
      return StrategyChoice(strategy: .findOrCreate, reason: "as stated")
    }
  }

  /// The chosen way, for a step that begins.
  func makeStrategy(_ scope: StepScope) -> any WritingStrategy {
    switch strategy {
    case .bulk: BulkStrategy(scope)
    case .restore: RestoreStrategy(scope)
    case .upsert: UpsertStrategy(scope)
    case .findOrCreate: FindOrCreateStrategy(scope)
    case .automatic: preconditionFailure("choose(_:preferred:isEmpty:wasEmpty:) says which one")
    }
  }

  private static func refusal(_ plan: StepPlan, _ strategy: String, _ obstacle: String) -> RunError {
    RunError(
      .badPipeline, code: "pipeline.strategy",
      "step \(plan.step.name): strategy \(strategy) is not possible: \(obstacle)",
      hint: "use strategy: automatic")
  }

  private static func restoreObstacle(_ plan: StepPlan, _ wasEmpty: (Entity) -> Bool) -> String? {
    if !plan.root.match.isEmpty { return "it makes a new object of every record and matches none" }
    if let child = plan.root.children.first { return "\(child.property) is a nested object" }
    if !wasEmpty(plan.root.entity.root) { return "\(plan.root.entity.root.name) had rows before the run" }
    return nil
  }

  private static func bulkObstacle(_ plan: StepPlan, isEmpty: (Entity) -> Bool) -> String? {
    if !isEmpty(plan.root.entity.root) { return "\(plan.root.entity.root.name) already has rows" }
    if plan.step.addsMembers { return "several records may add members to one object" }
    return bulkObstacle(plan.root, isRoot: true)
  }

  /// Limits on the number of members are checked by the object graph only.
  private static func countObstacle(_ node: NodePlan) -> String? {
    let limited = node.entity.relationships.first { $0.hasCountLimit && !$0.definition.isTransient }
    return limited.map { "the number of \($0.name) is limited" }
  }

  private static func bulkObstacle(_ node: NodePlan, isRoot: Bool) -> String? {
    if let obstacle = countObstacle(node) { return obstacle }
    if !isRoot, !node.match.isEmpty { return "nested \(node.entity.name) is matched with stored objects" }
    let matched = Set(node.matchProperties)
    for constraint in node.entity.uniquenessConstraints where !isRoot || Set(constraint) != matched {
      return "the constraint on \(constraint.joined(separator: ", ")) is not the match key"
    }
    for reference in node.references {
      if let obstacle = referenceObstacle(reference) { return obstacle }
    }
    for child in node.children {
      if let obstacle = bulkObstacle(child.node, isRoot: false) { return obstacle }
    }
    return nil
  }

  private static func upsertObstacle(_ plan: StepPlan) -> String? {
    let node = plan.root
    if node.match.isEmpty { return "there is no match" }
    if let obstacle = countObstacle(node) { return obstacle }
    guard node.entity.uniquenessConstraints.contains(where: { Set($0) == Set(node.matchProperties) }) else {
      return "match is not a uniqueness constraint of \(node.entity.name)"
    }
    if let child = node.children.first { return "\(child.property) is a nested object" }
    for reference in node.references {
      if reference.relationship.isToMany { return "\(reference.property) is to-many" }
      if reference.orderColumn != nil { return "the inverse of \(reference.property) is ordered" }
      if let obstacle = referenceObstacle(reference) { return obstacle }
    }
    return nil
  }

  /// References that only the object graph keeps consistent, because rows of the destination change too.
  private static func referenceObstacle(_ reference: ReferencePlan) -> String? {
    guard let inverse = reference.relationship.inverse else { return nil }
    if !inverse.isToMany { return "the inverse of \(reference.property) is to-one" }
    if inverse.hasCountLimit { return "the number of \(inverse.entity.name).\(inverse.name) is limited" }
    return nil
  }
}
