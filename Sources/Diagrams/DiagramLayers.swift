/// Puts the boxes of one connected part of a diagram into columns, so that every line leads from a column to a later one.
struct DiagramLayers {
  /// Column of each box, by position in `boxes`.
  private(set) var column: [Int]

  /// - Parameters:
  ///   - heights: by position of the box.
  ///   - lines: pairs of positions that differ; the first is to be the left one where no circle forbids it.
  ///   - maximumHeight: how high a column may become before a box moves on to the next.
  init(heights: [Double], lines: [(from: Int, to: Int)], maximumHeight: Double) {
    let order = Self.order(count: heights.count, lines)
    var place = [Int](repeating: 0, count: order.count)
    for (position, box) in order.enumerated() { place[box] = position }
    var before = [[Int]](repeating: [], count: order.count)
    var after = before
    for line in lines {
      let (left, right) = place[line.from] < place[line.to] ? (line.from, line.to) : (line.to, line.from)
      after[left].append(right)
      before[right].append(left)
    }
    column = [Int](repeating: 0, count: order.count)
    var height: [Double] = []
    func hasRoom(_ layer: Int, for box: Int) -> Bool {
      layer >= height.count || height[layer] == 0 || height[layer] + heights[box] <= maximumHeight
    }
    for box in order {
      var layer = (before[box].map { column[$0] }.max() ?? -1) + 1
      while !hasRoom(layer, for: box) { layer += 1 }
      while height.count <= layer { height.append(0) }
      height[layer] += heights[box]
      column[box] = layer
    }
    // A box with more lines to the right than to the left is better off there: the lines become shorter.
    for box in order.reversed() where after[box].count > before[box].count {
      guard let limit = after[box].map({ column[$0] }).min() else { continue }
      var layer = limit - 1
      while layer > column[box], !hasRoom(layer, for: box) { layer -= 1 }
      height[column[box]] -= heights[box]
      height[layer] += heights[box]
      column[box] = layer
    }
    closeGaps()
  }

  /// Columns that lost all their boxes go.
  private mutating func closeGaps() {
    let used = Set(column).sorted()
    let rank = Dictionary(zip(used, used.indices), uniquingKeysWith: { first, _ in first })
    column = column.map { rank[$0] ?? 0 }
  }

  /// The boxes in an order that few lines lead against (the greedy method of Eades, Lin and Smyth).
  private static func order(count: Int, _ lines: [(from: Int, to: Int)]) -> [Int] {
    var after = [[Int]](repeating: [], count: count)
    var before = after
    for line in lines {
      after[line.from].append(line.to)
      before[line.to].append(line.from)
    }
    var outCount = after.map(\.count)
    var inCount = before.map(\.count)
    var isLeft = [Bool](repeating: true, count: count)
    var head: [Int] = []
    var tail: [Int] = []
    func take(_ box: Int) {
      isLeft[box] = false
      for other in after[box] { inCount[other] -= 1 }
      for other in before[box] { outCount[other] -= 1 }
    }
    for _ in 0..<count {
      let rest = (0..<count).filter { isLeft[$0] }
      if let source = rest.first(where: { inCount[$0] == 0 }) {
        take(source)
        head.append(source)
      } else if let sink = rest.first(where: { outCount[$0] == 0 }) {
        take(sink)
        tail.append(sink)
      } else if let best = rest.max(by: { (outCount[$0] - inCount[$0], -$0) < (outCount[$1] - inCount[$1], -$1) }) {
        take(best)
        head.append(best)
      }
    }
    return head + tail.reversed()
  }
}
