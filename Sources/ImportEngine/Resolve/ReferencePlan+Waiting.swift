import ObjectModel
import Pipelines

extension ReferencePlan {
  /// Whether a record cannot stand without this reference's destination.
  var mustResolve: Bool { !isStored && (missing == .reject || relationship.description.isMandatory) }

  /// Whether the run fails where this reference leads nowhere.
  var isDemanded: Bool { isStored && missing == .reject }

  /// Whether the reference is set after all steps only, because what the other side's records say of the order must not
  /// come later.
  var waitsForAll: Bool { isStored && relationship.isOrdered }
}
