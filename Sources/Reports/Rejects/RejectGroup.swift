/// Rejected records with one reason.
public struct RejectGroup: Sendable, Hashable {
  /// The stable code of the reason.
  public var code: String
  /// The entity of the import step.
  public var entity: String
  /// The property whose value was refused; empty when the whole record was.
  public var property: String
  /// The number of records in the group.
  public var count: Int
  /// The first of them.
  public var first: Reject
  /// The files that they were written to, in the order of their first records.
  public var files: [String] = []

  /// The rejects of a reason so far.
  package init(
    code: String, entity: String, property: String, count: Int, first: Reject, files: [String]
  ) {
    self.code = code
    self.entity = entity
    self.property = property
    self.count = count
    self.first = first
    self.files = files
  }

  /// `Item.price`, or the entity alone.
  public var subject: String {
    property.isEmpty ? entity : property.hasPrefix(entity + ".") ? property : "\(entity).\(property)"
  }
}
