import Foundation

/// Writes a laid out diagram as SVG.
struct DiagramDrawing {
  private let layout: DiagramLayout
  private let content: DiagramContent
  private let title: String

  init(_ layout: DiagramLayout, _ content: DiagramContent, title: String) {
    self.layout = layout
    self.content = content
    self.title = title
  }

  /// Lines that run side by side are told apart by these.
  private static let lineColors = [
    "#2563a8", "#a03c78", "#2e7d4f", "#b35c1e", "#6a4fb3", "#1f7f8c", "#8a6d1d", "#6b7280",
  ]

  /// What every drawing has near its beginning.
  static var mark: String { style }

  private static let style = """
    text { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; \
    font-size: 12px; fill: #1f2937; }
    .heading { font-weight: bold; fill: #ffffff; }
    .abstract { font-style: italic; }
    .count { fill: #dbe4ee; }
    .type { fill: #64748b; }
    .way { fill: none; stroke-width: 1.5; }
    .symbol { fill: #ffffff; stroke-width: 1.5; }
    .inheritance { stroke: #475569; }
    """

  func svg() -> String {
    let (width, height) = (Self.text(layout.width), Self.text(layout.height))
    var output = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      role="img">
      <title>\(Self.escaped(title))</title>
      <style>
      \(Self.style)
      </style>
      <rect width="\(width)" height="\(height)" fill="#ffffff"/>

      """
    for index in content.lines.indices { output += line(index) }
    for index in content.boxes.indices { output += box(index) }
    return output + "</svg>\n"
  }

  // MARK: - Lines

  private func line(_ index: Int) -> String {
    let line = content.lines[index]
    let points = layout.routes[index]
    guard points.count > 1, let first = points.first, let last = points.last else { return "" }
    let color = Self.lineColors[index % Self.lineColors.count]
    let isInheritance = line.kind == .inheritance
    let paint = isInheritance ? "class=\"inheritance\"" : "stroke=\"\(color)\""
    var output = "<g \(paint)><title>\(Self.escaped(line.label))</title>\n"
    let hasBothSides = isInheritance || (line.from.count != nil && line.to.count != nil)
    output += "<path class=\"way\"\(hasBothSides ? "" : " stroke-dasharray=\"5 3\"") d=\"\(Self.path(points))\"/>\n"
    let start = Self.direction(from: first, to: points[1])
    let end = Self.direction(from: last, to: points[points.count - 2])
    if isInheritance {
      output += Self.triangle(at: first, start)
    } else {
      if let count = line.from.count { output += Self.symbol(count, at: first, start) }
      if let count = line.to.count { output += Self.symbol(count, at: last, end) }
    }
    return output + "</g>\n"
  }

  /// 1 where the line leaves its end to the right, -1 to the left.
  private static func direction(from end: DiagramLayout.Point, to next: DiagramLayout.Point) -> Double {
    next.x >= end.x ? 1 : -1
  }

  /// The way with rounded corners.
  private static func path(_ points: [DiagramLayout.Point]) -> String {
    var output = "M\(text(points[0].x)) \(text(points[0].y))"
    for index in points.indices.dropFirst().dropLast() {
      let (before, here, after) = (points[index - 1], points[index], points[index + 1])
      let radius = min(5, distance(before, here) / 2, distance(here, after) / 2)
      let (start, end) = (moved(here, towards: before, by: radius), moved(here, towards: after, by: radius))
      output += "L\(text(start.x)) \(text(start.y))"
      output += "Q\(text(here.x)) \(text(here.y)) \(text(end.x)) \(text(end.y))"
    }
    if let last = points.last { output += "L\(text(last.x)) \(text(last.y))" }
    return output
  }

  private static func distance(_ one: DiagramLayout.Point, _ other: DiagramLayout.Point) -> Double {
    abs(one.x - other.x) + abs(one.y - other.y)
  }

  /// Lines are level or upright, so one of the two differences is 0.
  private static func moved(
    _ point: DiagramLayout.Point, towards other: DiagramLayout.Point, by length: Double
  ) -> DiagramLayout.Point {
    let whole = distance(point, other)
    guard whole > 0 else { return point }
    let share = length / whole
    return DiagramLayout.Point(x: point.x + (other.x - point.x) * share, y: point.y + (other.y - point.y) * share)
  }

  /// The crow's foot of an end, or its bars and ring.
  private static func symbol(_ count: DiagramContent.Count, at end: DiagramLayout.Point, _ direction: Double) -> String
  {
    func x(_ distance: Double) -> String { text(end.x + direction * distance) }
    func bar(_ distance: Double) -> String {
      "<path class=\"way\" d=\"M\(x(distance)) \(text(end.y - 5))V\(text(end.y + 5))\"/>\n"
    }
    func ring(_ distance: Double) -> String {
      "<circle class=\"symbol\" cx=\"\(x(distance))\" cy=\"\(text(end.y))\" r=\"3.5\"/>\n"
    }
    let foot =
      "<path class=\"way\" d=\"M\(x(0)) \(text(end.y - 5))L\(x(10)) \(text(end.y))L\(x(0)) \(text(end.y + 5))\"/>\n"
    return switch count {
    case .zeroOrOne: bar(6) + ring(13)
    case .exactlyOne: bar(6) + bar(10)
    case .zeroOrMore: foot + ring(14)
    case .oneOrMore: foot + bar(13)
    }
  }

  /// The arrow head at the parent.
  private static func triangle(at end: DiagramLayout.Point, _ direction: Double) -> String {
    let x = text(end.x + direction * 12)
    return "<path class=\"symbol\" d=\"M\(text(end.x)) \(text(end.y))L\(x) \(text(end.y - 6))V\(text(end.y + 6))Z\"/>\n"
  }

  // MARK: - Boxes

  private func box(_ index: Int) -> String {
    let (box, frame) = (content.boxes[index], layout.frames[index])
    let left = frame.x + DiagramMetrics.padding
    let right = frame.x + frame.width - DiagramMetrics.padding
    let header = DiagramMetrics.headerHeight
    let (x, y, width, height) = (
      Self.text(frame.x), Self.text(frame.y), Self.text(frame.width), Self.text(frame.height)
    )
    let fill = box.isAbstract ? "#64748b" : "#27496d"
    var output = """
      <g class="entity"><title>\(Self.escaped(box.name))\(box.isAbstract ? " (abstract)" : "")</title>
      <rect class="box" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="4" fill="#f8fafc" stroke="\(fill)"/>
      <path d="M\(x) \(Self.text(frame.y + header))V\(Self.text(frame.y + 4))q0 -4 4 -4H\(Self.text(frame.x + frame.width - 4))\
      q4 0 4 4V\(Self.text(frame.y + header))Z" fill="\(fill)"/>
      <text class="heading\(box.isAbstract ? " abstract" : "")" x="\(Self.text(left))" y="\(Self.text(frame.y + 18))">\
      \(Self.escaped(DiagramMetrics.heading(of: box)))</text>

      """
    if let count = box.rowCount {
      output += "<text class=\"count\" x=\"\(Self.text(right))\" y=\"\(Self.text(frame.y + 18))\" "
      output += "text-anchor=\"end\">\(count)</text>\n"
    }
    for (position, row) in box.rows.enumerated() {
      let middle = frame.y + DiagramMetrics.offset(ofRow: position)
      if position > 0, row.kind == .relationship, box.rows[position - 1].kind == .attribute {
        let y = Self.text(middle - DiagramMetrics.rowHeight / 2)
        output += "<path d=\"M\(x) \(y)h\(width)\" stroke=\"#cbd5e1\"/>\n"
      }
      let start = left + Double(row.depth) * DiagramMetrics.indentation
      output += "<text x=\"\(Self.text(start))\" y=\"\(Self.text(middle + 4))\">\(short(row.name))</text>\n"
      output += "<text class=\"type\" x=\"\(Self.text(right))\" y=\"\(Self.text(middle + 4))\" text-anchor=\"end\">"
      output += "\(short(DiagramMetrics.detail(of: row), whole: DiagramMetrics.fullDetail(of: row)))</text>\n"
    }
    return output + "</g>\n"
  }

  /// The text as it fits; cut text is whole in its title.
  private func short(_ text: String, whole: String? = nil) -> String {
    let shown = DiagramMetrics.shortened(text)
    return shown.hasSuffix("…")
      ? "<title>\(Self.escaped(whole ?? text))</title>\(Self.escaped(shown))" : Self.escaped(shown)
  }

  // MARK: - Text

  /// The number with at most one decimal, which needs no locale.
  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    let whole = "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10)"
    return tenths % 10 == 0 ? whole : whole + ".\(tenths.magnitude % 10)"
  }

  /// Text for XML; characters that XML cannot hold become a replacement character.
  private static func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "\n", "\t": output += " "
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
