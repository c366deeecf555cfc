import ObjectModel
import Pipelines
import StoreInterface

/// The identity of an object in its hierarchy: the properties of its match key and their values.
struct ObjectIdentity: Hashable {
  /// Stands for the hierarchy and the properties.
  private let space: Int
  private let key: [UInt8]

  /// The identity of the object that a row is about; nil where the row has no whole key.
  /// - Parameter space: that of the node.
  init?(_ node: DecodedNode, row: Int, space: Int) {
    if node.plan.match.isEmpty { return nil }
    var key: [UInt8] = []
    key.reserveCapacity(48)
    guard MatchKey.append(node, row: row, to: &key) == .key else { return nil }
    self.space = space
    self.key = key
  }

  func hash(into hasher: inout Hasher) {
    unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// The spaces by node index. Nodes of one hierarchy with match keys of the same properties share a number.
  static func spaces(_ nodes: [DecodedNode], count: Int) -> [Int] {
    var numbers: [[String]: Int] = [:]
    var spaces = [Int](repeating: 0, count: count)
    for node in nodes {
      let properties = node.plan.match.map { part in
        switch part {
        case .attribute(let column): return node.plan.columns[column].source.propertyName
        case .reference(let index):
          let reference = node.plan.references[index]
          return "\(reference.property) by \(reference.table.attributes.joined(separator: "+"))"
        }
      }
      let name = [node.plan.entity.root.name] + properties
      spaces[node.plan.index] = numbers[name] ?? numbers.count
      numbers[name] = spaces[node.plan.index]
    }
    return spaces
  }
}
