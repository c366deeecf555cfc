extension DiagramPart {
  /// Moves the nodes of every column up and down, in their order, to where lines become short and straight.
  mutating func placeNodes() {
    for sweep in 0..<20 {
      let isForward = sweep % 2 == 0
      for column in isForward ? Array(columns.indices) : columns.indices.reversed() {
        // The last sweeps look to both sides.
        place(column, byLeft: isForward || sweep >= 16, byRight: !isForward || sweep >= 16)
      }
    }
    straighten()
    let top = nodes.map(\.y).min() ?? 0
    for index in nodes.indices { nodes[index].y = (nodes[index].y - top).rounded() }
  }

  /// Every node wants to be where its lines would be level; nodes that want the same place share what they get (the
  /// pool-adjacent-violators method, which finds the least squares).
  private mutating func place(_ column: Int, byLeft: Bool, byRight: Bool) {
    var wishes: [Int: (sum: Double, weight: Double)] = [:]
    func add(_ own: Int, _ other: Int, _ wish: Double) {
      let weight =
        nodes[own].box == nil || nodes[other].box == nil
        ? (nodes[own].box == nil && nodes[other].box == nil ? 8.0 : 3) : 1
      let known = wishes[own] ?? (0, 0)
      wishes[own] = (known.sum + wish * weight, known.weight + weight)
    }
    if byLeft, column > 0 {
      for segment in segments[column - 1] {
        add(segment.right, segment.left, nodes[segment.left].y + segment.leftOffset - segment.rightOffset)
      }
    }
    if byRight, column < segments.count {
      for segment in segments[column] {
        add(segment.left, segment.right, nodes[segment.right].y + segment.rightOffset - segment.leftOffset)
      }
    }
    struct Block {
      var sum: Double
      var weight: Double
      var count: Int
      var mean: Double { sum / weight }
    }
    var blocks: [Block] = []
    var offsets: [Double] = []
    for (position, node) in columns[column].enumerated() {
      let above = position > 0 ? columns[column][position - 1] : node
      let offset =
        position > 0 ? (offsets.last ?? 0) + nodes[above].height + gap(above: node, below: above) : 0
      offsets.append(offset)
      // A node without lines on that side stays where it is, unless others push it.
      let wish = wishes[node] ?? (nodes[node].y * 0.01, 0.01)
      blocks.append(Block(sum: wish.sum - offset * wish.weight, weight: wish.weight, count: 1))
      while blocks.count > 1, blocks[blocks.count - 2].mean > blocks[blocks.count - 1].mean {
        let last = blocks.removeLast()
        blocks[blocks.count - 1].sum += last.sum
        blocks[blocks.count - 1].weight += last.weight
        blocks[blocks.count - 1].count += last.count
      }
    }
    var position = 0
    for block in blocks {
      for _ in 0..<block.count {
        nodes[columns[column][position]].y = block.mean + offsets[position]
        position += 1
      }
    }
  }

  /// Lines that pass several columns pass them at one height where there is room.
  private mutating func straighten() {
    for line in chains.keys.sorted() {
      let chain = (chains[line] ?? []).map { segments[$0.gap][$0.index] }
      let passing = chain.dropLast().map(\.right)
      guard let first = chain.first, let last = chain.last, !passing.isEmpty else { continue }
      var low = -Double.infinity
      var high = Double.infinity
      for node in passing {
        let (above, below) = freeRange(of: node)
        low = max(low, above)
        high = min(high, below)
      }
      guard low <= high else { continue }
      // Level with one of its ends if that is possible, so that there is but one bend.
      let ends = [nodes[first.left].y + first.leftOffset, nodes[last.right].y + last.rightOffset]
      let mean = passing.reduce(0) { $0 + nodes[$1].y } / Double(passing.count)
      let target = ends.first { $0 >= low && $0 <= high } ?? min(max(mean, low), high)
      for node in passing { nodes[node].y = target }
    }
  }

  /// Where a node may be without coming too near to its neighbours in the column.
  private func freeRange(of node: Int) -> (Double, Double) {
    let column = columns[nodes[node].column]
    guard let position = column.firstIndex(of: node) else { return (nodes[node].y, nodes[node].y) }
    var range = (-Double.infinity, Double.infinity)
    if position > 0 {
      let above = column[position - 1]
      range.0 = nodes[above].y + nodes[above].height + gap(above: node, below: above)
    }
    if position + 1 < column.count {
      let below = column[position + 1]
      range.1 = nodes[below].y - nodes[node].height - gap(above: below, below: node)
    }
    return range
  }
}
