/// One connected part of a diagram while it is laid out: boxes in columns, and lines as chains of segments between
/// neighbouring columns. A line that passes a column has a node of its own there, so that it passes between the boxes.
struct DiagramPart {
  /// A box, or the place where a line passes a column.
  struct Node {
    /// Position in the content's boxes; nil for a passing line.
    var box: Int?
    var column: Int
    var width = 0.0
    var height = 0.0
    /// Upper edge.
    var y = 0.0
  }

  /// A piece of a line, from a node to one in the next column, with the distances of its ends from the nodes' upper edges.
  struct Segment {
    var line: Int
    var left: Int
    var leftOffset: Double
    var right: Int
    var rightOffset: Double
  }

  /// A line from a box to itself, on the box's right side.
  struct Loop {
    var line: Int
    var node: Int
    var fromOffset: Double
    var toOffset: Double
  }

  var nodes: [Node] = []
  /// Nodes of each column, from above.
  var columns: [[Int]] = []
  /// Between column n and n + 1.
  var segments: [[Segment]] = []
  /// By column.
  var loops: [[Loop]] = []
  /// Line → its segments' positions in `segments`, from left to right.
  var chains: [Int: [(gap: Int, index: Int)]] = [:]

  /// - Parameters:
  ///   - boxes: positions of the part's boxes in the content, ascending.
  ///   - lines: positions of the part's lines in the content, ascending.
  init(_ content: DiagramContent, boxes: [Int], lines: [Int]) {
    let sizes = boxes.map { DiagramMetrics.size(of: content.boxes[$0]) }
    let place = Dictionary(zip(boxes, boxes.indices), uniquingKeysWith: { first, _ in first })
    func node(_ end: DiagramContent.End) -> Int { place[end.box] ?? 0 }
    let open = lines.filter { content.lines[$0].from.box != content.lines[$0].to.box }
    let area = sizes.reduce(0) { $0 + ($1.width + 120) * ($1.height + DiagramMetrics.boxGap) }
    let layers = DiagramLayers(
      heights: sizes.map { $0.height + DiagramMetrics.boxGap },
      lines: open.map { (node(content.lines[$0].from), node(content.lines[$0].to)) },
      maximumHeight: max(area.squareRoot() * 0.9, (sizes.map(\.height).max() ?? 0) + DiagramMetrics.boxGap))
    for (index, box) in boxes.enumerated() {
      nodes.append(
        Node(box: box, column: layers.column[index], width: sizes[index].width, height: sizes[index].height))
    }
    let count = (layers.column.max() ?? 0) + 1
    columns = [[Int]](repeating: [], count: count)
    segments = [[Segment]](repeating: [], count: max(count - 1, 0))
    loops = [[Loop]](repeating: [], count: count)
    for index in boxes.indices { columns[nodes[index].column].append(index) }

    let ports = headerPorts(content, lines: lines, node: node)
    for line in lines {
      let (from, to) = (content.lines[line].from, content.lines[line].to)
      let fromOffset = from.row.map(DiagramMetrics.offset(ofRow:)) ?? ports.from[line] ?? 0
      let toOffset = to.row.map(DiagramMetrics.offset(ofRow:)) ?? ports.to[line] ?? 0
      if from.box == to.box {
        let loop = Loop(line: line, node: node(from), fromOffset: fromOffset, toOffset: toOffset)
        loops[nodes[node(from)].column].append(loop)
      } else if nodes[node(from)].column < nodes[node(to)].column {
        addChain(line, from: (node(from), fromOffset), to: (node(to), toOffset))
      } else {
        addChain(line, from: (node(to), toOffset), to: (node(from), fromOffset))
      }
    }
  }

  private mutating func addChain(_ line: Int, from: (node: Int, offset: Double), to: (node: Int, offset: Double)) {
    var (left, leftOffset) = from
    let last = nodes[to.node].column
    for column in nodes[from.node].column..<last {
      var (right, rightOffset) = to
      if column + 1 < last {
        right = nodes.count
        rightOffset = 0
        nodes.append(Node(box: nil, column: column + 1))
        columns[column + 1].append(right)
      }
      chains[line, default: []].append((column, segments[column].count))
      segments[column].append(
        Segment(line: line, left: left, leftOffset: leftOffset, right: right, rightOffset: rightOffset))
      (left, leftOffset) = (right, rightOffset)
    }
  }

  /// Where lines that belong to no row meet a box's heading, spread over its height: line → distance from the box's
  /// upper edge. All sub-entities of a parent share one place.
  private func headerPorts(
    _ content: DiagramContent, lines: [Int], node: (DiagramContent.End) -> Int
  ) -> (from: [Int: Double], to: [Int: Double]) {
    struct Side: Hashable {
      var node: Int
      var isRight: Bool
    }
    /// Places of a side, in order; -1 is the one that sub-entities share.
    var places: [Side: [Int]] = [:]
    func side(_ own: DiagramContent.End, _ other: DiagramContent.End) -> Side {
      Side(node: node(own), isRight: nodes[node(own)].column <= nodes[node(other)].column)
    }
    func key(_ line: Int, isFrom: Bool) -> Int { isFrom && content.lines[line].kind == .inheritance ? -1 : line }
    for line in lines {
      let (from, to) = (content.lines[line].from, content.lines[line].to)
      for (own, other, isFrom) in [(from, to, true), (to, from, false)] where own.row == nil {
        let place = key(line, isFrom: isFrom)
        if !places[side(own, other), default: []].contains(place) {
          places[side(own, other), default: []].append(place)
        }
      }
    }
    func offset(_ line: Int, _ own: DiagramContent.End, _ other: DiagramContent.End, isFrom: Bool) -> Double? {
      guard own.row == nil, let list = places[side(own, other)],
        let index = list.firstIndex(of: key(line, isFrom: isFrom))
      else { return nil }
      return (DiagramMetrics.headerHeight * Double(index + 1) / Double(list.count + 1)).rounded()
    }
    var result: (from: [Int: Double], to: [Int: Double]) = ([:], [:])
    for line in lines {
      let (from, to) = (content.lines[line].from, content.lines[line].to)
      result.from[line] = offset(line, from, to, isFrom: true)
      result.to[line] = offset(line, to, from, isFrom: false)
    }
    return result
  }
}
