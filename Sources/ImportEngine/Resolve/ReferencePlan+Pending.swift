import ObjectModel
import Pipelines

extension ReferencePlan {
  /// Whether a record cannot stand without this reference's destination.
  var mustResolve: Bool { !isRestored && (missing == .reject || relationship.definition.isMandatory) }

  /// Whether the run fails where this reference leads nowhere.
  var isDemanded: Bool { isRestored && missing == .reject }

  /// Whether an object has the destination for itself, and must have one: another that takes it breaks a rule.
  var isExclusive: Bool {
    !isRestored && relationship.requiresDestination && relationship.inverse?.isToMany == false
  }

  /// Whether a record says the order of all members.
  var givesWholeOrder: Bool { relationship.isToMany && relationship.isOrdered && !addsMembers }

  /// Whether the reference is set only after all steps, because the order in the other side's records must be applied
  /// before it.
  var waitsForAll: Bool { isRestored && relationship.isOrdered }
}

extension Relationship {
  /// Whether both sides lead to one object, so that to set it changes objects on both.
  var isOneToOne: Bool { !isToMany && inverse?.isToMany == false }
}
