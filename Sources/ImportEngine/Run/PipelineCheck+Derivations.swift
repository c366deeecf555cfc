import CoreDataLayout
import ObjectModel
import Pipelines

extension PipelineCheck {
  /// Derived values that are not computed here would silently stay empty, so such entities are not imported into.
  static func requireComputedDerivations(_ plans: [StepPlan], _ layout: StoreLayout) throws(RunError) {
    for derived in layout.derivedAttributes {
      guard let obstacle = derived.obstacle,
        plans.contains(where: { plan in
          plan.nodes.contains { node in
            // A restored value is the one that Core Data had computed.
            node.entity.isKind(of: derived.entity)
              && !node.cells.contains { $0.isRestored && $0.property == derived.name }
          }
        })
      else { continue }
      throw RunError(
        .badPipeline, code: "model.derived-attribute",
        "\(derived.entity.name).\(derived.name) is derived by \(derived.expression), which is not computed here: "
          + obstacle,
        hint: "key paths, count, sum, now(), canonical, uppercase and lowercase are; or make it a plain attribute")
    }
  }
}

extension ManagedObjectModel {
  var hasDerivedAttributes: Bool { definitions.contains { $0.attributes.contains { $0.derivation != nil } } }
}
