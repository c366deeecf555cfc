extension DiagramPart {
  /// A vertical piece of a line between two columns.
  private struct Rise {
    var line: Int
    /// Heights of its two ends: the left and the right one, or both left ones of a loop.
    var start: Double
    var end: Double
    var isLoop: Bool
    var track = 0

    var top: Double { min(start, end) }
    var bottom: Double { max(start, end) }
  }

  /// Where everything is, and the part's size.
  struct Placement {
    /// Box → upper left corner.
    var corners: [Int: (x: Double, y: Double)] = [:]
    /// Line → its corners, from its left end to its right end.
    var routes: [Int: [DiagramLayout.Point]] = [:]
    var width = 0.0
    var height = 0.0
  }

  /// Gives every line its way: level out of its box, up or down on a track of its own between the columns, and level on.
  func placement() -> Placement {
    var result = Placement()
    var x = 0.0
    for column in columns.indices {
      let width = columns[column].map { nodes[$0].width }.max() ?? 0
      let rises = tracks(column)
      for node in columns[column] {
        if let box = nodes[node].box { result.corners[box] = (x, nodes[node].y) }
        result.height = max(result.height, nodes[node].y + nodes[node].height)
      }
      let count = (rises.map(\.track).max() ?? -1) + 1
      let firstTrack = x + width + DiagramMetrics.stub
      for loop in loops[column] {
        guard let rise = rises.first(where: { $0.line == loop.line }) else { continue }
        let (edge, track) = (x + nodes[loop.node].width, firstTrack + Double(rise.track) * DiagramMetrics.trackDistance)
        result.routes[loop.line] = [
          .init(x: edge, y: rise.start), .init(x: track, y: rise.start), .init(x: track, y: rise.end),
          .init(x: edge, y: rise.end),
        ]
      }
      let isLast = column == columns.count - 1
      let next =
        isLast
        ? firstTrack + (count > 0 ? Double(count - 1) * DiagramMetrics.trackDistance : -DiagramMetrics.stub)
        : firstTrack + Double(max(count - 1, 0)) * DiagramMetrics.trackDistance + DiagramMetrics.stub
      for segment in column < segments.count ? segments[column] : [] {
        let start = nodes[segment.left].y + segment.leftOffset
        let end = nodes[segment.right].y + segment.rightOffset
        var points = result.routes[segment.line] ?? [.init(x: x + nodes[segment.left].width, y: start)]
        if let rise = rises.first(where: { $0.line == segment.line }) {
          let track = firstTrack + Double(rise.track) * DiagramMetrics.trackDistance
          points += [.init(x: track, y: start), .init(x: track, y: end)]
        }
        // A passing line goes on from here; only the last point of a box counts.
        if nodes[segment.right].box != nil { points.append(.init(x: next, y: end)) }
        result.routes[segment.line] = points
      }
      result.width = max(result.width, isLast ? next : x + width)
      x = next
    }
    return result
  }

  /// The tracks of the vertical pieces right of a column, from the left. Pieces that overlap have different tracks, in
  /// the order in which few level pieces cross them.
  private func tracks(_ column: Int) -> [Rise] {
    var rises: [Rise] = loops[column].map { loop in
      let y = nodes[loop.node].y
      return Rise(line: loop.line, start: y + loop.fromOffset, end: y + loop.toOffset, isLoop: true)
    }
    var all: [Rise] = rises
    for segment in column < segments.count ? segments[column] : [] {
      let rise = Rise(
        line: segment.line, start: nodes[segment.left].y + segment.leftOffset,
        end: nodes[segment.right].y + segment.rightOffset, isLoop: false)
      all.append(rise)
      if abs(rise.start - rise.end) > 0.5 { rises.append(rise) }
    }
    // Small loops first. Pieces that lead down are sorted from below, pieces that lead up from above.
    func rank(_ rise: Rise) -> (Int, Double, Int) {
      if rise.isLoop { return (0, rise.bottom - rise.top, rise.line) }
      return rise.end > rise.start ? (2, -rise.start, rise.line) : (1, rise.start, rise.line)
    }
    rises.sort { rank($0) < rank($1) }
    let order = Self.sorted(rises)
    var placed: [Rise] = []
    for index in order {
      var rise = rises[index]
      let margin = DiagramMetrics.lineGap / 2
      let nearby = placed.filter { $0.top < rise.bottom + margin && rise.top < $0.bottom + margin }
      rise.track = (nearby.map(\.track).max() ?? -1) + 1
      placed.append(rise)
    }
    return placed
  }

  /// The pieces in their order, except that where the right end of one is level with the left end of another, the other
  /// comes first: their level pieces would lie on each other.
  private static func sorted(_ rises: [Rise]) -> [Int] {
    var waiting = Array(rises.indices)
    var result: [Int] = []
    while !waiting.isEmpty {
      let free = waiting.firstIndex { index in
        !waiting.contains { other in
          other != index && !rises[other].isLoop && !rises[index].isLoop && rises[other].line != rises[index].line
            && abs(rises[other].start - rises[index].end) < 4
        }
      }
      result.append(waiting.remove(at: free ?? 0))
    }
    return result
  }
}
