import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// The statements that one import step would run.
struct StepExplanation {
  let plan: StepPlan
  let choice: StrategyChoice
  let origin: RunOrigin
  let lookups: LookupExplainer
  private typealias Lookup = PipelineExplanation.Lookup

  func part() throws -> PipelineExplanation.Part {
    var part = PipelineExplanation.Part(
      kind: .step, name: plan.step.name, entity: plan.root.entity.name, strategy: choice.strategy, reason: choice.reason
    )
    part.lookups = try keyTables()
    switch choice.strategy {
    case .bulk, .restore:
      part.writesPages = origin.pageObstacle == nil
      part.notes.append(
        part.writesPages
          ? "writes finished pages and looks nothing up"
          : "inserts rows and looks nothing up; no finished pages, because \(origin.pageObstacle ?? "")")
    case .upsert:
      part.lookups.append(
        try lookups.row(by: plan.root.keyColumns, in: plan.root.entity, purpose: matchPurpose(plan.root)))
      part.notes.append("rows that are found are read and changed by primary key")
    case .findOrCreate, .automatic:
      for node in plan.nodes { part.lookups += try objectLookups(node) }
      part.notes.append(
        "objects that are found, and those that relationships lead to, are read and changed by primary key")
    }
    if plan.nodes.contains(where: { !$0.references.isEmpty }) {
      part.notes.append(
        "references find their objects in tables of keys in memory; those that come later are set at the end")
    }
    return part
  }

  private func matchPurpose(_ node: NodePlan) -> String {
    "the \(node.entity.name) with a record's \(node.matchProperties.joined(separator: ", "))"
  }

  /// Tables of keys are filled from a store that has rows, and anew after a step that may have changed keys.
  private func keyTables() throws -> [Lookup] {
    var ids: [KeyTableID] = []
    for id in plan.nodes.flatMap(\.references).map(\.table)
    where !id.isByRecordKey && !id.attributes.isEmpty && !ids.contains(id) {
      ids.append(id)
    }
    if origin.isFresh && (choice.strategy == .bulk || choice.strategy == .restore) { return [] }
    return try ids.map { id in
      try lookups.keys(
        id,
        purpose: "\(id.title) of all objects, "
          + (origin.isFresh
            ? "where a step may have changed some" : "before the first step, and where a step may have changed some"))
    }
  }

  /// The statements of a context for the objects of one node.
  private func objectLookups(_ node: NodePlan) throws -> [Lookup] {
    var result: [Lookup] = []
    if !node.match.isEmpty { result.append(try match(node)) }
    let owned = node.references.map(\.relationship) + node.children.map(\.relationship)
    for relationship in owned where relationship.isToMany {
      let members = try lookups.members(
        of: relationship, purpose: "the \(relationship.name) that an object of \(node.entity.name) has already")
      result += [members].compactMap { $0 }
    }
    for child in node.children where child.node.match.isEmpty {
      for relationship in child.node.entity.relationships where relationship.isToMany {
        let members = try lookups.members(
          of: relationship,
          purpose:
            "the \(relationship.name) of an object of \(child.node.entity.name) that is deleted, as its owner has it no more"
        )
        result += [members].compactMap { $0 }
      }
    }
    for constraint in node.entity.uniquenessConstraints where Set(constraint) != Set(node.matchProperties) {
      let names = constraint.filter { node.entity.storedAttribute($0) != nil }
      guard names.count == constraint.count else { continue }
      result.append(
        try lookups.objects(
          by: names, in: node.entity, kind: .constraint,
          purpose:
            "the \(node.entity.name) with the same \(names.joined(separator: ", ")), where a record breaks that constraint"
        ) { tuples in
          var request = FetchSpecification(node.entity)
          request.predicate = .tupleIsIn(names.map { $0.split(separator: ".").map(String.init) }, tuples)
          return request
        })
    }
    return result
  }

  private func match(_ node: NodePlan) throws -> Lookup {
    let names = node.matchProperties
    // A key with a relationship is looked for record by record.
    guard node.match.allSatisfy({ if case .attribute = $0 { true } else { false } }) else {
      return try lookups.row(by: node.keyColumns, in: node.entity, purpose: matchPurpose(node))
    }
    return try lookups.objects(
      by: names, in: node.entity,
      purpose: "the \(node.entity.name) objects with the \(names.joined(separator: ", ")) of a batch of records"
    ) { FetchSpecification(matching: $0, by: names, in: node.entity) }
  }
}

extension NodePlan {
  /// The columns of the match key.
  fileprivate var keyColumns: [RowBatch.Column] { matchColumns.map { columns[$0] } }
}
