import ObjectModel
import Pipelines

extension SeenFields {
  /// A field that no record has, in words.
  struct Finding {
    var node: Int
    /// The properties that are left as they are; none where the field is only asked for otherwise, such as in `where:`.
    var properties: [String]
    var message: String
    var hint: String
  }

  /// The fields that no record has had.
  /// - Parameters:
  ///   - plan: the step's.
  ///   - isWhole: whether all records were read.
  func findings(_ plan: StepPlan, isWhole: Bool) -> [Finding] {
    let unseen = unseen
    if unseen.isEmpty { return [] }
    var names: [Int: [String]] = [:]
    return unseen.compactMap { field in
      guard let node = plan.node(field.node), let slot = node.projection.firstIndex(of: field.path) else { return nil }
      let known = names[field.node] ?? self.names(ofNode: field.node)
      names[field.node] = known
      let properties = node.properties(fedBy: slot)
      let target =
        properties.isEmpty
        ? "" : ", for " + properties.map { "\(node.entity.name).\($0)" }.joined(separator: " and ")
      let holder =
        isWhole
        ? field.node == 0 ? "no record has" : "no object of \(node.entity.name) has"
        : field.node == 0 ? "none of the first records has" : "none of the first objects of \(node.entity.name) has"
      return Finding(
        node: field.node, properties: properties, message: "\(holder) the field \"\(field.path)\"\(target)",
        hint: SeenFields.hint(for: field.path, known))
    }
  }

  private static func hint(for path: String, _ names: [String]) -> String {
    let leave = "write optional: true where that is so"
    let near = Suggestion.nearest(to: path, among: names) ?? sibling(of: path, names)
    if let near { return "did you mean \"\(RecordExpressionParser.written(near))\"? Or \(leave)" }
    let shown = names.filter { !$0.contains(".") }.prefix(12).joined(separator: ", ")
    return shown.isEmpty ? leave : "they have \(shown); or \(leave)"
  }

  /// Another name in the same object, of which one is the beginning of the other: `geo.lat` for `geo.latitude`.
  private static func sibling(of path: String, _ names: [String]) -> String? {
    names.filter { $0.count > 2 && (path.hasPrefix($0) || $0.hasPrefix(path)) && depth($0) == depth(path) }
      .max { $0.count < $1.count }
  }

  private static func depth(_ path: String) -> Int { path.count { $0 == "." } }
}
