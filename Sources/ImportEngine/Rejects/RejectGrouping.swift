import Reports

/// Counts rejects by their reason.
struct RejectGrouping {
  private struct Key: Hashable {
    var code: String
    var entity: String
    var property: String
  }

  /// Beyond so many, reasons are counted by code and entity alone.
  private static let limit = 1_000

  private var places: [Key: Int] = [:]
  /// The groups in the order of their first records.
  private(set) var groups: [RejectGroup] = []

  /// - Parameter file: the file that the record was written to; nil when there is none.
  mutating func add(_ reject: Reject, file: String?) {
    var key = Key(code: reject.code, entity: reject.entity, property: reject.property)
    if places[key] == nil, groups.count >= Self.limit { key.property = "" }
    if let place = places[key] {
      groups[place].count += 1
      if let file, !groups[place].files.contains(file) { groups[place].files.append(file) }
      return
    }
    places[key] = groups.count
    groups.append(
      RejectGroup(
        code: key.code, entity: key.entity, property: key.property, count: 1, first: reject,
        files: file.map { [$0] } ?? []))
  }
}
