import ObjectModel

/// Collects the questions to the parent while a context must not wait for it, and nothing at other times.
final class DeferredParentRequests {
  private var missing: ParentStateRequest?

  /// Whether the parent must not be waited for.
  var isDeferring: Bool { missing != nil }

  func begin() { missing = ParentStateRequest() }

  /// Allows asking the parent again. Returns the questions that were not asked.
  func end() -> ParentStateRequest {
    defer { missing = nil }
    return missing ?? ParentStateRequest()
  }

  /// Notes what is needed, as objects or as members of relationships.
  func note(_ objectIDs: [ObjectID], _ members: [MemberKey]) {
    missing?.objectIDs.formUnion(objectIDs)
    missing?.members.formUnion(members)
  }
}
