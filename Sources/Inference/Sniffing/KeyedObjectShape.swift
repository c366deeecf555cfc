/// What the members of a JSON object have in common: where all are objects with the same keys, the object is a list of
/// records by key, such as `{ "de": { "name": "Germany" }, "fr": { "name": "France" } }`.
struct KeyedObjectShape {
  private var memberCount = 0
  private var objectCount = 0
  /// How many members have a key.
  private var counts: [[UInt8]: Int] = [:]
  private var isTooWide = false

  /// More keys than records of one kind have.
  private static let keyLimit = 256

  mutating func noteMember(isObject: Bool) {
    memberCount += 1
    if isObject { objectCount += 1 }
  }

  mutating func note(keyOfMember key: [UInt8]) {
    if isTooWide { return }
    counts[key, default: 0] += 1
    if counts.count > Self.keyLimit {
      isTooWide = true
      counts = [:]
    }
  }

  /// Whether the members are records of one kind: of two all keys are the same, of three one key, and of more half of
  /// them on average.
  var isList: Bool {
    guard memberCount > 1, objectCount == memberCount, !counts.isEmpty else { return false }
    if memberCount == 2 { return counts.values.allSatisfy { $0 == 2 } }
    return counts.values.contains(memberCount)
      || memberCount > 3 && counts.values.reduce(0, +) * 2 >= counts.count * memberCount
  }

  /// A field for the members' keys that no member has itself.
  var keyField: String {
    ["id", "key", "member_key"].first { counts[Array($0.utf8)] == nil } ?? "member_key_of_object"
  }
}
