public import ObjectModel

/// What a context cannot do.
public enum ContextError: Error, Sendable, CustomStringConvertible {
  /// The object's context no longer exists.
  case contextGone
  /// Objects kept changing in `willSave` or in validation for as many rounds as a save allows.
  case endlessWillSave(rounds: Int)
  /// There is no such object: its row was deleted, or it never was saved.
  case objectGone(ObjectID)
  /// A merge policy said that it had resolved the conflicts, but there were conflicts again, for as many rounds as a
  /// save allows.
  case endlessConflicts(rounds: Int)
  /// `save` was called inside a save of the same context, by a hook, an observer or a merge policy.
  case saveInsideSave
  /// An id belongs to another container, with another model or store.
  case foreignID(String)

  /// What happened, in a sentence.
  public var description: String {
    switch self {
    case .contextGone: "the object's context no longer exists"
    case .endlessWillSave(let rounds):
      "objects were still being changed by willSave or validation after \(rounds) rounds"
    case .objectGone(let id): "there is no \(id.entity.name) \(id)"
    case .endlessConflicts(let rounds): "the merge policy left conflicts in \(rounds) rounds"
    case .saveInsideSave: "a context that is being saved was saved again"
    case .foreignID(let id): "\(id) is no id of this container"
    }
  }
}
