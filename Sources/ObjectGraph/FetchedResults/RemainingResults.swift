/// Sections of results without the objects that are taken out, and without the sections that have no others. What is
/// underneath stays as it is.
struct RemainingResults {
  typealias Section = ResultsChanges<ManagedObject>.Section

  private let sections: [Section]
  /// The indexes that are taken out of each section, rising.
  let removed: [[Int]]
  /// Which sections have something left.
  let live: [Int]
  /// The last object of each of these; nil where nothing is left.
  private(set) var lasts: [ManagedObject?] = []

  /// - Parameter keepsEmpty: whether a section that nothing is left of stays.
  init(_ sections: [Section], without scan: AddressScan, keepsEmpty: Bool) {
    self.sections = sections
    let removed = sections.map { scan.indexes(in: $0.items) }
    self.removed = removed
    live = sections.indices.filter { keepsEmpty || removed[$0].count < sections[$0].items.count }
    lasts = live.indices.map { self[$0].last }
  }

  /// What is left of one section.
  struct Items: RandomAccessCollection {
    fileprivate let items: [ManagedObject]
    fileprivate let gone: [Int]

    var startIndex: Int { 0 }
    var endIndex: Int { items.count - gone.count }

    /// The object at a position among those that are left.
    subscript(position: Int) -> ManagedObject {
      // `gone[i] - i` objects remain before `gone[i]`: count the removed ones that stand before the position.
      items[position + Bisection.firstIndex(below: gone.count) { gone[$0] - $0 > position }]
    }
  }

  /// Sections are counted without those that are gone.
  subscript(section: Int) -> Items { Items(items: sections[live[section]].items, gone: removed[live[section]]) }

  func name(_ section: Int) -> String { sections[live[section]].name }

  /// The sections that nothing is left of, by their old places.
  var emptied: [Int: Section] {
    let stays = Set(live)
    return Dictionary(
      sections.enumerated().filter { !stays.contains($0.offset) }.map { ($0.offset, $0.element) },
      uniquingKeysWith: { first, _ in first })
  }

  var names: [String] { sections.map(\.name) }

  /// The neighbours of objects that were not taken out.
  func neighbours(of objects: [ManagedObject]) -> [(
    before: ManagedObject?, object: ManagedObject, after: ManagedObject?
  )] {
    if objects.isEmpty { return [] }
    let scan = AddressScan(objects)
    var result: [(before: ManagedObject?, object: ManagedObject, after: ManagedObject?)] = []
    for section in live.indices {
      let items = self[section]
      for index in scan.indexes(in: items.items) {
        let position = index - Bisection.count(below: index, in: items.gone)
        let before = position > 0 ? items[position - 1] : section > 0 ? lasts[section - 1] : nil
        let next = section + 1 < live.count ? self[section + 1].first : nil
        result.append((before, items.items[index], position + 1 < items.count ? items[position + 1] : next))
      }
    }
    return result
  }
}
