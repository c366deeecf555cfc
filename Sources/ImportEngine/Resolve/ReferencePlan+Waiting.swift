import ObjectModel
import Pipelines

extension ReferencePlan {
  /// Whether a record cannot stand without this reference's destination.
  var mustResolve: Bool { !isRestored && (missing == .reject || relationship.description.isMandatory) }

  /// Whether the run fails where this reference leads nowhere.
  var isDemanded: Bool { isRestored && missing == .reject }

  /// Whether the reference is set after all steps only, because what the other side's records say of the order must not
  /// come later.
  var waitsForAll: Bool { isRestored && relationship.isOrdered }
}
