import CoreDataLayout

extension ForeignIndex {
  /// Whether the index can be made again after a migration over the same values: its table keeps its name, and every
  /// column of it keeps its values.
  func stays(in work: MigrationWork) -> Bool {
    if work.new.indexes.contains(where: { $0.name.uppercased() == name.uppercased() }) { return false }
    for join in work.joins {
      if case .inPlace(let old) = join.method, isOn(old), isOn(join.new.name) { return join.renamed.isEmpty }
    }
    guard let place = work.tables.first(where: { isOn($0.new.name) }), place.feeds.count == 1,
      isOn(place.feeds[0].old.name)
    else { return false }
    let filled = place.fills.map(\.columns) + place.ordered
    let changed = Set(filled.flatMap { [$0.key, $0.entity, $0.order] }.compactMap { $0?.uppercased() })
    return columns.allSatisfy { column in
      guard let index = place.new.columns.firstIndex(where: { $0.name.uppercased() == column }) else {
        // A column that does not belong to the model either stays where the table does.
        return place.method == .inPlace && !place.feeds[0].old.columns.contains { $0.name.uppercased() == column }
      }
      return place.feeds[0].cells[index].uppercased() == "S.\(column)" && !changed.contains(column)
    }
  }
}
