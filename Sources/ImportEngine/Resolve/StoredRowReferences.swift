/// The stored objects of a batch's rows: raw root references by node, parents first, and row; 0 where there is none.
struct StoredRowReferences {
  private let nodes: [[UInt64]]

  init(_ nodes: [[UInt64]]) { self.nodes = nodes }

  /// - Parameter index: of the node among those that `DecodedNode.withDescendants` lists.
  func rows(ofNode index: Int) -> [UInt64] { index < nodes.count ? nodes[index] : [] }
}
