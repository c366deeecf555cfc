import ObjectModel
import StoreInterface

/// While a context must not wait for its parent: what it would have asked. Nothing is collected at other times.
final class ParentRefusals {
  private var missing: MissingState?

  /// Whether the parent must not be waited for.
  var isRefusing: Bool { missing != nil }

  func begin() { missing = MissingState() }

  /// The parent may be asked again. Gives what it was not asked.
  func end() -> MissingState {
    defer { missing = nil }
    return missing ?? MissingState()
  }

  /// Notes what is needed, as objects or as members of relationships.
  func note(_ objectIDs: [ObjectID], _ members: [MemberKey]) {
    missing?.objectIDs.formUnion(objectIDs)
    missing?.members.formUnion(members)
  }
}
