extension DiagramPart {
  /// Orders the nodes of every column so that few lines cross: columns are sorted again and again by where their
  /// neighbours are, from the left and from the right, and the best order that came up is kept.
  mutating func orderColumns() {
    stackAll()
    var best = columns
    var fewest = crossings()
    for sweep in 0..<24 where fewest > 0 {
      let isForward = sweep % 2 == 0
      for column in isForward ? Array(columns.indices) : columns.indices.reversed() {
        sort(column, byLeft: isForward)
        stack(column)
      }
      let count = crossings()
      if count < fewest {
        fewest = count
        best = columns
      }
    }
    columns = best
    stackAll()
  }

  /// Nodes without a neighbour on that side keep their place as well as they can.
  private mutating func sort(_ column: Int, byLeft: Bool) {
    let gap = byLeft ? column - 1 : column
    guard segments.indices.contains(gap) else { return }
    var sums: [Int: (sum: Double, count: Double)] = [:]
    for segment in segments[gap] {
      let own = byLeft ? segment.right : segment.left
      let shift = byLeft ? segment.rightOffset : segment.leftOffset
      let other =
        byLeft ? nodes[segment.left].y + segment.leftOffset : nodes[segment.right].y + segment.rightOffset
      let known = sums[own] ?? (0, 0)
      sums[own] = (known.sum + other - shift + nodes[own].height / 2, known.count + 1)
    }
    let keys = columns[column].map { node in
      sums[node].map { $0.sum / $0.count } ?? nodes[node].y + nodes[node].height / 2
    }
    columns[column] = zip(columns[column], keys).enumerated()
      .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
  }

  private mutating func stackAll() {
    for column in columns.indices { stack(column) }
  }

  /// Nodes one below the other, the column's middle at 0.
  private mutating func stack(_ column: Int) {
    var y = 0.0
    for (position, node) in columns[column].enumerated() {
      if position > 0 { y += gap(above: node, below: columns[column][position - 1]) }
      nodes[node].y = y
      y += nodes[node].height
    }
    for node in columns[column] { nodes[node].y -= y / 2 }
  }

  /// The least distance between two neighbours of a column.
  func gap(above node: Int, below other: Int) -> Double {
    switch (nodes[node].box, nodes[other].box) {
    case (nil, nil): DiagramMetrics.lineGap
    case (nil, _), (_, nil): DiagramMetrics.lineToBoxGap
    default: DiagramMetrics.boxGap
    }
  }

  /// Number of pairs of segments that cross, by where their ends are now.
  private func crossings() -> Int {
    var count = 0
    for gap in segments {
      let ends = gap.map { (nodes[$0.left].y + $0.leftOffset, nodes[$0.right].y + $0.rightOffset) }
        .sorted { $0 < $1 }
      var seen: [Double] = []
      for (_, right) in ends {
        var (low, high) = (0, seen.count)
        while low < high {
          let middle = (low + high) / 2
          if seen[middle] <= right { low = middle + 1 } else { high = middle }
        }
        count += seen.count - low
        seen.insert(right, at: low)
      }
    }
    return count
  }
}
