import Foundation
import Pipelines
import SeedFormats
import Synchronization

/// Which of the fields that a step reads its JSON records have had so far. A field that no record has may be misspelt,
/// and would silently leave its property empty everywhere. All workers of a step share it.
///
/// A frequent field is found in the first record of the first batch and not looked for again.
final class SeenFields: Sendable {
  /// A field that no record or nested object has had so far.
  struct Unseen {
    var node: Int
    var path: String
  }

  private struct State {
    /// By node: the slots that no entry has had so far.
    var slots: [[Int]]
    /// By node: how many entries were looked at.
    var entries: [Int]
    /// Records as they are written, from the first batch that lacked a field, for the names that they have.
    var sample: [[UInt8]] = []
  }

  private static let sampleRecords = 50
  private static let sampleBytes = 1 << 18

  private let plan: StepPlan
  private let state: Mutex<State>

  /// - Returns: nil where the source's columns are checked elsewhere, or no field is needed.
  init?(_ plan: StepPlan) {
    guard plan.step.source.format.isJSON, plan.step.strategy != .restore else { return nil }
    self.plan = plan
    let slots = plan.nodes.map { node in
      node.projection.indices.filter { slot in
        let path = node.projection[slot]
        return node.requiredFields.contains(path) && !plan.step.source.optionalColumns.contains(path)
      }
    }
    state = Mutex(State(slots: slots, entries: slots.map { _ in 0 }))
  }

  /// Looks for the fields of a node that no entry has had so far.
  @unsafe func note(fieldsOf table: FieldTable, node: Int, entries: Int) {
    let wanted = state.withLock { state in
      state.entries[node] += entries
      return state.slots[node]
    }
    if wanted.isEmpty || entries == 0 { return }
    // Safety: the table has so many entries, and slots are positions in the projection that it was made by.
    let met = Set(
      wanted.filter { slot in
        (0..<entries).contains { unsafe table.slice($0, slot: slot).kind != .absent }
      })
    let isSampled = met.count == wanted.count
    let sample = unsafe isSampled ? [] : SeenFields.sample(of: table.records)
    state.withLock { state in
      state.slots[node].removeAll { met.contains($0) }
      if state.sample.isEmpty { state.sample = sample }
    }
  }

  private static func sample(of records: RecordBatch) -> [[UInt8]] {
    var sample: [[UInt8]] = []
    var bytes = 0
    for record in 0..<min(records.count, sampleRecords) {
      let raw = unsafe records.rawBytes(of: records.place(ofRecord: record))
      bytes += raw.count
      if bytes > sampleBytes { break }
      unsafe sample.append(Array(raw))
    }
    return sample
  }

  /// The fields that no record has had, for nodes that had entries.
  var unseen: [Unseen] {
    state.withLock { state in
      plan.nodes.indices.flatMap { node in
        state.entries[node] == 0
          ? [] : state.slots[node].map { Unseen(node: node, path: plan.nodes[node].projection[$0]) }
      }
    }
  }

  /// The names that the sampled records have where a node's fields are looked for, nested ones with points, in the
  /// order of the alphabet.
  func names(ofNode index: Int) -> [String] {
    var names: Set<String> = []
    for record in state.withLock({ $0.sample }) {
      guard let value = try? JSONSerialization.jsonObject(with: Data(record), options: .fragmentsAllowed) else {
        continue
      }
      for object in SeenFields.values(value, at: plan.sourcePath(ofNode: index)) {
        SeenFields.collect(object, prefix: "", depth: 0, into: &names)
      }
    }
    return names.sorted()
  }

  /// The values at the end of field paths, one inside the other; arrays stand for their elements.
  private static func values(_ value: Any, at paths: [String]) -> [Any] {
    if let array = value as? [Any], !paths.isEmpty { return array.flatMap { values($0, at: paths) } }
    guard let path = paths.first else { return value as? [Any] ?? [value] }
    let rest = Array(paths.dropFirst())
    if let object = value as? [String: Any], let member = object[path] { return values(member, at: rest) }
    let separator: Character = path.hasPrefix("/") ? "/" : "."
    let steps = path.split(separator: separator).map(String.init)
    if steps.count < 2 && !path.hasPrefix("/") { return [] }
    var found: Any? = value
    for step in steps { found = (found as? [String: Any])?[step] ?? (found as? [Any])?[index: Int(step)] }
    return found.map { values($0, at: rest) } ?? []
  }

  private static func collect(_ value: Any, prefix: String, depth: Int, into names: inout Set<String>) {
    guard let object = value as? [String: Any], depth < 4, names.count < 1000 else { return }
    for (key, member) in object {
      names.insert(prefix + key)
      collect(member, prefix: prefix + key + ".", depth: depth + 1, into: &names)
    }
  }
}

extension StepPlan {
  /// The field paths that lead from a record to a node's objects.
  func sourcePath(ofNode index: Int) -> [String] {
    chain(to: index).map { parent, child in
      let paths = parent.index == 0 ? projection : parent.projection
      return child.slot.map { paths.indices.contains($0) ? paths[$0] : "" } ?? ""
    }
  }

  /// The relationships from the root to a node.
  func propertyPath(ofNode index: Int) -> [String] { chain(to: index).map(\.child.property) }

  private func chain(to index: Int) -> [(parent: NodePlan, child: ChildPlan)] {
    func search(_ node: NodePlan) -> [(NodePlan, ChildPlan)]? {
      if node.index == index { return [] }
      for child in node.children {
        if let rest = search(child.node) { return [(node, child)] + rest }
      }
      return nil
    }
    return (search(root) ?? []).map { (parent: $0.0, child: $0.1) }
  }
}

extension NodePlan {
  /// The properties that a field goes into.
  func properties(fedBy slot: Int) -> [String] {
    let cells = cells.filter { $0.slots.contains(slot) }.map(\.property)
    let references = references.filter { $0.parts.contains { $0.slots.contains(slot) } }.map(\.property)
    let others =
      children.filter { $0.input.slots.contains(slot) }.map(\.property)
      + composites.filter { $0.slot == slot }.map(\.property)
    return cells + references + others
  }
}

extension [Any] {
  fileprivate subscript(index index: Int?) -> Any? { index.flatMap { indices.contains($0) ? self[$0] : nil } }
}
