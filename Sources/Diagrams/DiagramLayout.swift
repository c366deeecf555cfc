/// Where the boxes and lines of a diagram are.
struct DiagramLayout {
  struct Point: Equatable {
    var x: Double
    var y: Double
  }
  struct Frame {
    var x = 0.0
    var y = 0.0
    var width = 0.0
    var height = 0.0
  }

  /// The place of each box, by its position.
  private(set) var frames: [Frame]
  /// The corners of each line, by its position: from its `from` end to its `to` end.
  private(set) var routes: [[Point]]
  private(set) var width = DiagramMetrics.margin
  private(set) var height = DiagramMetrics.margin

  init(_ content: DiagramContent) {
    let columns = DiagramColumns(content)
    frames = [Frame](repeating: Frame(), count: content.boxes.count)
    routes = [[Point]](repeating: [], count: content.lines.count)
    for column in columns.columns.indices { add(column, of: columns) }
    for line in routes.indices where columns.isReversed[line] { routes[line].reverse() }
    width += DiagramMetrics.margin
    height += DiagramMetrics.margin
  }

  /// Gives a column its place right of those before it, and its lines their way to the next: level out of their box, up
  /// or down between the columns, and level on.
  private mutating func add(_ column: Int, of columns: DiagramColumns) {
    let nodes = columns.nodes
    let x = width
    for node in columns.columns[column] where nodes[node].isBox {
      let (y, size) = (DiagramMetrics.margin + nodes[node].y, nodes[node])
      frames[node] = Frame(x: x, y: y, width: size.width, height: size.height)
      height = max(height, y + size.height)
    }
    let right = x + (columns.columns[column].map { nodes[$0].width }.max() ?? 0)
    let rises = Self.rises(columns, column)
    let trackCount = (rises.values.map(\.track).max() ?? -1) + 1
    let isLast = column == columns.columns.count - 1
    width = right
    if trackCount > 0 || !isLast {
      width += 2 * DiagramMetrics.stub + Double(trackCount) * DiagramMetrics.trackDistance
    }
    for segment in columns.segments[column] {
      let (start, end) = Self.levels(segment, nodes)
      if nodes[segment.left.node].isBox {
        routes[segment.line].append(Point(x: x + nodes[segment.left.node].width, y: start))
      }
      if let track = rises[segment.line]?.track {
        let place = right + DiagramMetrics.stub + Double(track) * DiagramMetrics.trackDistance
        routes[segment.line] += [Point(x: place, y: start), Point(x: place, y: end)]
      }
      // A passing line goes on from here.
      if segment.left.node == segment.right.node {
        routes[segment.line].append(Point(x: x + nodes[segment.left.node].width, y: end))
      } else if nodes[segment.right.node].isBox {
        routes[segment.line].append(Point(x: width, y: end))
      }
    }
  }

  /// The upright piece of a line between two columns, on one of the tracks there.
  private struct Rise {
    let line: Int
    let start: Double
    let end: Double
    let isLoop: Bool
    var track = 0

    /// Loops come first. Pieces that lead down are sorted from below, pieces that lead up from above: few cross so.
    var rank: (Int, Double, Int) {
      if isLoop { return (0, abs(end - start), line) }
      return end > start ? (2, -start, line) : (1, start, line)
    }

    func isBeside(_ other: Rise) -> Bool {
      min(start, end) < max(other.start, other.end) + DiagramMetrics.lineGap
        && min(other.start, other.end) < max(start, end) + DiagramMetrics.lineGap
    }
  }

  /// The upright pieces behind a column, by line. Pieces that lie beside each other have different tracks.
  private static func rises(_ columns: DiagramColumns, _ column: Int) -> [Int: Rise] {
    let rises = columns.segments[column].compactMap { segment -> Rise? in
      let (start, end) = levels(segment, columns.nodes)
      let isLoop = segment.left.node == segment.right.node
      return isLoop || start != end ? Rise(line: segment.line, start: start, end: end, isLoop: isLoop) : nil
    }
    var placed: [Rise] = []
    for var rise in rises.sorted(by: { $0.rank < $1.rank }) {
      rise.track = (placed.filter(rise.isBeside).map(\.track).max() ?? -1) + 1
      placed.append(rise)
    }
    return Dictionary(placed.map { ($0.line, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func levels(_ segment: DiagramColumns.Segment, _ nodes: [DiagramColumns.Node]) -> (Double, Double) {
    func level(_ end: DiagramColumns.End) -> Double { DiagramMetrics.margin + nodes[end.node].y + end.offset }
    return (level(segment.left), level(segment.right))
  }
}
