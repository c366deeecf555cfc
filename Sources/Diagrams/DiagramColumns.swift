/// The boxes of a diagram in columns, and its lines as chains of segments between neighbouring columns: the layered
/// method of Sugiyama, Tagawa and Toda in a plain form. A line that passes a column has a node of its own there, so
/// that it passes between the boxes.
struct DiagramColumns {
  /// A box, or the place where a line passes a column. The first nodes are the content's boxes.
  struct Node {
    var column: Int
    var width = 0.0
    var height = 0.0
    /// The distance of its upper edge from the top.
    var y = 0.0
    var isBox: Bool
  }

  /// A piece of a line, from a node to one in the next column, or from a box to itself.
  struct Segment {
    let line: Int
    let left: End
    let right: End
  }

  /// An end of a line or segment, with its distance from the node's upper edge.
  struct End {
    let node: Int
    let offset: Double
  }

  private(set) var nodes: [Node]
  /// Nodes of each column, from above.
  private(set) var columns: [[Int]]
  /// The segments by their left column.
  private(set) var segments: [[Segment]]
  /// By line: whether its `from` end is the right one.
  private(set) var isReversed: [Bool] = []

  init(_ content: DiagramContent) {
    let sizes = content.boxes.map { DiagramMetrics.size(of: $0) }
    let column = Self.columns(content, sizes)
    nodes = zip(column, sizes).map { Node(column: $0, width: $1.width, height: $1.height, isBox: true) }
    columns = [[Int]](repeating: [], count: (column.max() ?? -1) + 1)
    segments = [[Segment]](repeating: [], count: columns.count)
    for box in nodes.indices { columns[column[box]].append(box) }
    var ports = HeadingPorts(content)
    for (line, ends) in content.lines.enumerated() {
      let from = End(node: ends.from.box, offset: ports.offset(ends.from, isParent: ends.kind == .inheritance))
      let to = End(node: ends.to.box, offset: ports.offset(ends.to, isParent: false))
      isReversed.append(column[from.node] > column[to.node])
      if isReversed[line] { addChain(line, to, from) } else { addChain(line, from, to) }
    }
    arrange()
  }

  private mutating func addChain(_ line: Int, _ left: End, _ right: End) {
    var left = left
    for column in nodes[left.node].column..<max(nodes[right.node].column - 1, nodes[left.node].column) {
      let passing = End(node: nodes.count, offset: 0)
      nodes.append(Node(column: column + 1, isBox: false))
      columns[column + 1].append(passing.node)
      segments[column].append(Segment(line: line, left: left, right: passing))
      left = passing
    }
    segments[nodes[left.node].column].append(Segment(line: line, left: left, right: right))
  }

  // MARK: - Columns

  /// The column of each box: right of all boxes that lines come from, in the first that has room.
  private static func columns(_ content: DiagramContent, _ sizes: [(width: Double, height: Double)]) -> [Int] {
    var after = [[Int]](repeating: [], count: sizes.count)
    var neighbours = after
    for line in content.lines where line.from.box != line.to.box {
      after[line.from.box].append(line.to.box)
      neighbours[line.from.box].append(line.to.box)
      neighbours[line.to.box].append(line.from.box)
    }
    let area = sizes.reduce(0) { $0 + ($1.width + 120) * ($1.height + DiagramMetrics.boxGap) }
    let limit = max(area.squareRoot() * 0.9, sizes.map(\.height).max() ?? 0)
    var column = [Int?](repeating: nil, count: sizes.count)
    var heights: [Double] = []
    for box in order(after) {
      // Boxes that have their column already lead here, whichever way the line points.
      var place = (neighbours[box].compactMap { column[$0] }.max() ?? -1) + 1
      while place < heights.count, heights[place] > 0, heights[place] + sizes[box].height > limit { place += 1 }
      while heights.count <= place { heights.append(0) }
      heights[place] += sizes[box].height + DiagramMetrics.boxGap
      column[box] = place
    }
    // A column stays empty where all its boxes had to move on.
    let used = Set(column.compactMap(\.self)).sorted()
    return column.map { place in used.firstIndex { $0 == place } ?? 0 }
  }

  /// The boxes in an order that few lines lead against: the reverse of that in which a search in depth leaves them.
  private static func order(_ after: [[Int]]) -> [Int] {
    var isSeen = [Bool](repeating: false, count: after.count)
    var left: [Int] = []
    func visit(_ box: Int) {
      if isSeen[box] { return }
      isSeen[box] = true
      for next in after[box] { visit(next) }
      left.append(box)
    }
    for box in after.indices.reversed() { visit(box) }
    return left.reversed()
  }

  // MARK: - Heights

  /// Moves the nodes of every column to where their lines are level, as far as they have room, by the columns left of
  /// them and right of them in turn.
  private mutating func arrange() {
    for column in columns.indices { place(column, wishes: [:]) }
    for sweep in 0..<16 {
      let isForward = sweep % 2 == 0
      for column in isForward ? Array(columns.indices.dropFirst()) : columns.indices.dropLast().reversed() {
        place(column, wishes: wishes(of: column, byLeft: isForward))
      }
    }
    let top = nodes.map(\.y).min() ?? 0
    for node in nodes.indices { nodes[node].y = (nodes[node].y - top).rounded() }
  }

  /// For each node of a column, where its lines would be level.
  private func wishes(of column: Int, byLeft: Bool) -> [Int: [Double]] {
    var wishes: [Int: [Double]] = [:]
    for segment in segments[byLeft ? column - 1 : column] where segment.left.node != segment.right.node {
      let (own, other) = byLeft ? (segment.right, segment.left) : (segment.left, segment.right)
      wishes[own.node, default: []].append(nodes[other.node].y + other.offset - own.offset)
    }
    return wishes
  }

  /// Puts each node at the average of its wishes and pushes those down that would overlap; then the column moves up by
  /// the average push.
  private mutating func place(_ column: Int, wishes: [Int: [Double]]) {
    let wished = columns[column].map { node in
      wishes[node].map { $0.reduce(0, +) / Double($0.count) } ?? nodes[node].y
    }
    let order = columns[column].indices.sorted { left, right in
      let (one, other) = (columns[column][left], columns[column][right])
      return (wished[left] + nodes[one].height / 2, left) < (wished[right] + nodes[other].height / 2, right)
    }
    var free = -Double.infinity
    var distance = 0.0
    for index in order {
      let node = columns[column][index]
      nodes[node].y = max(wished[index], free)
      distance += nodes[node].y - wished[index]
      free = nodes[node].y + nodes[node].height + (nodes[node].isBox ? DiagramMetrics.boxGap : DiagramMetrics.lineGap)
    }
    columns[column] = order.map { columns[column][$0] }
    for node in columns[column] { nodes[node].y -= distance / Double(order.count) }
  }
}

/// Where lines meet boxes: at their row, otherwise spread over the heading. All sub-entities of a parent share one
/// place.
private struct HeadingPorts {
  private var counts: [Int]
  private var taken: [Int]

  init(_ content: DiagramContent) {
    counts = [Int](repeating: 1, count: content.boxes.count)
    taken = [Int](repeating: 1, count: content.boxes.count)
    for line in content.lines {
      if line.from.row == nil, line.kind != .inheritance { counts[line.from.box] += 1 }
      if line.to.row == nil { counts[line.to.box] += 1 }
    }
  }

  mutating func offset(_ end: DiagramContent.End, isParent: Bool) -> Double {
    if let row = end.row { return DiagramMetrics.offset(ofRow: row) }
    let place = isParent ? 0 : taken[end.box]
    if !isParent { taken[end.box] += 1 }
    return (DiagramMetrics.headerHeight * Double(place + 1) / Double(counts[end.box] + 1)).rounded()
  }
}
