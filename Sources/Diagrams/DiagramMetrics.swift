/// Sizes in a diagram, in the picture's units (CSS pixels). Text is set in a font of equal widths, so that its size is
/// known without the font.
enum DiagramMetrics {
  static let characterWidth = 7.25
  static let headerHeight = 28.0
  static let rowHeight = 18.0
  /// Between a box's edge and its text.
  static let padding = 10.0
  static let indentation = 12.0
  /// Between the lowest row and the box's lower edge.
  static let footHeight = 6.0
  /// Blanks between the name and the type of a row, in characters.
  static let columnGap = 3
  /// Longer notes and names are cut, and shown whole when the pointer rests on them.
  static let maximumCharacters = 44

  /// Between a box and the nearest vertical piece of a line: room for the symbols at a line's end.
  static let stub = 26.0
  static let trackDistance = 9.0
  /// Below a box of a column, and below a line that passes it.
  static let boxGap = 30.0
  static let lineGap = 14.0
  static let margin = 24.0

  /// Width of a text; letters of East Asian scripts take two places.
  static func width(of text: String) -> Double {
    text.unicodeScalars.reduce(0) { sum, scalar in
      let isWide =
        (0x1100...0x115F).contains(scalar.value) || (0x2E80...0xD7FF).contains(scalar.value)
        || (0xF900...0xFAFF).contains(scalar.value) || scalar.value >= 0x1F300
      return sum + (isWide ? 2 : 1) * characterWidth
    }
  }

  static func shortened(_ text: String) -> String {
    text.count <= maximumCharacters ? text : text.prefix(maximumCharacters - 1) + "…"
  }

  static func heading(of box: DiagramContent.Box) -> String { shortened(box.name) }

  static func size(of box: DiagramContent.Box) -> (width: Double, height: Double) {
    let count = box.rowCount.map { width(of: "  \($0)") } ?? 0
    let header = width(of: heading(of: box)) * 1.1 + count
    let rows = box.rows.map { row in
      width(of: shortened(row.name)) + width(of: detail(of: row)) + Double(columnGap) * characterWidth
        + Double(row.depth) * indentation
    }
    let inside = max(header, rows.max() ?? 0, 80)
    let body = box.rows.isEmpty ? 0 : Double(box.rows.count) * rowHeight + footHeight
    return ((inside + 2 * padding).rounded(.up), headerHeight + body)
  }

  /// The text at the right of a row.
  static func detail(of row: DiagramContent.Row) -> String {
    shortened((row.isUnique ? ["unique"] : []).joined() + (row.isUnique ? " " : "") + fullDetail(of: row))
  }

  static func fullDetail(of row: DiagramContent.Row) -> String { ([row.type] + row.notes).joined(separator: " ") }

  /// The middle of a row, from the box's upper edge.
  static func offset(ofRow row: Int) -> Double { headerHeight + (Double(row) + 0.5) * rowHeight }
}
