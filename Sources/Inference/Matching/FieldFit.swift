import ImportEngine
import ObjectModel
import Pipelines

/// Whether the values of a field fit an attribute of a model that is there.
struct FieldFit {
  /// Whether all values fit.
  var fits: Bool
  /// How dates are written; nil for ISO 8601.
  var datePattern: String?
  var evidence: String
  /// Texts that mean null.
  var nulls: [String] = []

  init(_ column: ColumnProfile, _ attribute: AttributeDefinition, owners: Int) {
    let isText = [.string, .transformable, .binary].contains(attribute.type)
    let isMarked = attribute.type == .string && attribute.isOptional && column.marksNulls
    let markers = isText && !isMarked ? 0 : column.markerCount
    let missing = max(owners - column.count, 0) + column.nulls + markers
    defer { if markers > 0 { nulls = column.markerTexts } }
    let empties = missing > 0 ? "; empty in \(missing.grouped) of \(owners.grouped)" : ""
    guard column.values > 0 else {
      self.init(fits: attribute.isOptional || owners == 0, evidence: "always empty")
      return
    }
    if missing > 0, !attribute.isOptional, attribute.defaultValue == .null {
      self.init(
        fits: false, evidence: "\(attribute.type.name), required, but empty in \(missing.grouped) of \(owners.grouped)")
      return
    }
    switch attribute.type {
    case .string:
      self.init(fits: true, evidence: "String" + empties)
    case .composite, .objectID, .undefined, .transformable:
      self.init(fits: false, evidence: "\(attribute.type.name) takes no plain text")
    case .integer16, .integer32, .integer64:
      let fit = Self.fit(column.candidate(.integer64), column, attribute.type.name)
      let (least, most): (Int64, Int64) =
        attribute.type == .integer16
        ? (Int64(Int16.min), Int64(Int16.max))
        : attribute.type == .integer32 ? (Int64(Int32.min), Int64(Int32.max)) : (.min, .max)
      let isInside = column.smallest >= least && column.greatest <= most
      self.init(
        fits: fit.fits && isInside,
        evidence: fit.fits && !isInside
          ? "from \(column.smallest) to \(column.greatest), which \(attribute.type.name) does not hold"
          : fit.text + empties)
    case .date:
      let dates = column.candidates.filter { $0.type == .date && $0.refused == 0 && !$0.isGivenUp }
      let shortest = dates.min { ($0.datePattern ?? "").count < ($1.datePattern ?? "").count }
      if !DateShape.areAlike(dates.map(\.datePattern)), dates.first?.datePattern != nil {
        let patterns = dates.compactMap(\.datePattern).joined(separator: " and ")
        self.init(fits: false, datePattern: dates[0].datePattern, evidence: "\(patterns) both fit all dates: choose")
      } else if let date = dates.first?.datePattern == nil ? dates.first : shortest {
        self.init(
          fits: true, datePattern: date.datePattern,
          evidence: "dates, " + (date.datePattern.map { "written \($0)" } ?? "ISO 8601") + empties)
      } else {
        let fit = Self.fit(column.candidates.filter { $0.type == .date }.max { $0.same < $1.same }, column, "Date")
        self.init(fits: false, evidence: fit.text)
      }
    default:
      let type = attribute.type == .float || attribute.type == .decimal ? AttributeType.double : attribute.type
      let fit = Self.fit(column.candidate(type), column, attribute.type.name)
      self.init(fits: fit.fits, evidence: fit.text + empties)
    }
  }

  private init(fits: Bool, datePattern: String? = nil, evidence: String) {
    self.fits = fits
    self.datePattern = datePattern
    self.evidence = evidence
  }

  private static func fit(
    _ candidate: TypeCandidate?, _ column: ColumnProfile, _ name: String
  ) -> (fits: Bool, text: String) {
    guard let candidate else { return (false, "no \(name)") }
    if candidate.refused == 0, !candidate.isGivenUp { return (true, "\(name) in all \(column.values.grouped)") }
    let example = candidate.firstRefused.map { " (line \($0.line): \(QuotedSample.text(of: $0.text)))" } ?? ""
    let count = candidate.isGivenUp ? "many" : candidate.refused.grouped
    return (false, "\(count) of \(column.values.grouped) are no \(name)\(example)")
  }
}
