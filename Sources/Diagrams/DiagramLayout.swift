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

  /// By position of the box.
  private(set) var frames: [Frame]
  /// By position of the line: its corners, from its `from` end to its `to` end.
  private(set) var routes: [[Point]]
  private(set) var width = 0.0
  private(set) var height = 0.0

  init(_ content: DiagramContent) {
    frames = content.boxes.map { box in
      let size = DiagramMetrics.size(of: box)
      return Frame(width: size.width, height: size.height)
    }
    routes = [[Point]](repeating: [], count: content.lines.count)
    let placements = Self.parts(content).map { boxes, lines in
      var part = DiagramPart(content, boxes: boxes, lines: lines)
      part.orderColumns()
      part.placeNodes()
      return part.placement()
    }
    // Parts stand in rows, as words in a paragraph: the highest first, so that little room is lost.
    let order = placements.indices.sorted {
      (-placements[$0].height, $0) < (-placements[$1].height, $1)
    }
    let gap = DiagramMetrics.partGap
    let area = placements.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
    let rowWidth = max(placements.map(\.width).max() ?? 0, area.squareRoot() * 1.25)
    var (x, y, rowHeight) = (DiagramMetrics.margin, DiagramMetrics.margin, 0.0)
    for index in order {
      let placement = placements[index]
      if x > DiagramMetrics.margin, x + placement.width > DiagramMetrics.margin + rowWidth {
        y += rowHeight + gap
        (x, rowHeight) = (DiagramMetrics.margin, 0)
      }
      for (box, corner) in placement.corners {
        frames[box].x = x + corner.x
        frames[box].y = y + corner.y
      }
      for (line, points) in placement.routes {
        let moved = points.map { Point(x: x + $0.x, y: y + $0.y) }
        routes[line] = startsAtFrom(moved, content.lines[line]) ? moved : moved.reversed()
      }
      width = max(width, x + placement.width)
      height = max(height, y + placement.height)
      rowHeight = max(rowHeight, placement.height)
      x += placement.width + gap
    }
    width += DiagramMetrics.margin
    height += DiagramMetrics.margin
  }

  /// Whether the left end of a line's way is its `from` end.
  private func startsAtFrom(_ points: [Point], _ line: DiagramContent.Line) -> Bool {
    guard let first = points.first, line.from.box != line.to.box else { return true }
    let frame = frames[line.from.box]
    return abs(frame.x + frame.width - first.x) < 0.5 && first.y >= frame.y && first.y <= frame.y + frame.height
  }

  /// The boxes and lines of each connected part, in the order of their first boxes.
  private static func parts(_ content: DiagramContent) -> [(boxes: [Int], lines: [Int])] {
    var neighbours = [[Int]](repeating: [], count: content.boxes.count)
    for line in content.lines {
      neighbours[line.from.box].append(line.to.box)
      neighbours[line.to.box].append(line.from.box)
    }
    var part = [Int?](repeating: nil, count: content.boxes.count)
    var count = 0
    for start in content.boxes.indices where part[start] == nil {
      var waiting = [start]
      part[start] = count
      while let box = waiting.popLast() {
        for next in neighbours[box] where part[next] == nil {
          part[next] = count
          waiting.append(next)
        }
      }
      count += 1
    }
    var parts = [(boxes: [Int], lines: [Int])](repeating: ([], []), count: count)
    for box in content.boxes.indices { parts[part[box] ?? 0].boxes.append(box) }
    for line in content.lines.indices { parts[part[content.lines[line].from.box] ?? 0].lines.append(line) }
    return parts
  }
}
