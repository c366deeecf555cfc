import TestSupport
import Testing

@testable import ImportEngine
@testable import Reports

/// `find-or-create` with many new records, which are saved as objects whose rows become finished pages.
@Suite("New objects as pages")
struct NewObjectsAsPagesTests {
  private static let settings = [false, true].map { isOn in
    var settings = UnchangedScanSettings()
    settings.isOn = isOn
    settings.leastNewRecords = 1
    settings.rowsPerNewRecord = 1_000_000
    return settings
  }

  private static func steps(nested: Bool) -> String {
    """
      - from: \(nested ? "before" : "after").ndjson
        entity: Line
        strategy: find-or-create
        match: [code]
        map: { code: code, color: color\(nested ? ", halts: { from: halts, map: { number: number, name: number } }" : "") }
    """
  }

  /// Makes lines with a halt each, then imports some without any, of which each needs one where the model says so.
  private func run(_ settings: UnchangedScanSettings, needsHalts: Bool) throws -> (Railway, Railway.Result) {
    let railway = try Railway()
    if needsHalts {
      try railway.folder.write(
        Railway.model.replacing("name=\"halts\" optional=\"YES\"", with: "name=\"halts\" minCount=\"1\""),
        to: "Railway.xcdatamodel/contents")
    }
    railway.recordsPerBatch = 20
    railway.unchangedScan = settings
    try railway.write(
      "before.ndjson", (0..<50).map { #"{"code": "l\#($0)", "color": "red", "halts": [{"number": \#($0)}]}"# })
    try railway.run(Self.steps(nested: true), replace: "always")
    try railway.write(
      "after.ndjson", (0..<130).map { #"{"code": "l\#($0)", "color": "\#($0 == 7 ? "blue" : "red")"}"# })
    return (railway, try railway.run(Self.steps(nested: false)))
  }

  @Test("the outcome is that of statements", arguments: [false, true])
  func refused(needsHalts: Bool) throws {
    let (railways, results) = try Self.settings.reduce(into: ([Railway](), [Railway.Result]())) { found, settings in
      let (railway, result) = try run(settings, needsHalts: needsHalts)
      found.0.append(railway)
      found.1.append(result)
    }
    #expect(results[1].isSame(as: results[0]), "\(results)")
    #expect(try railways[1].rows() == railways[0].rows())
    #expect(try railways[1].query("PRAGMA integrity_check") == ["ok"])
    #expect(try railways[0].query("SELECT count(*) FROM ZHALT") == ["50"])
    let counts = results[0].counts[0]
    #expect(counts.unchanged == 49 && counts.updated == 1)
    #expect(needsHalts ? counts.rejected == 80 && counts.inserted == 0 : counts.inserted == 80)
    // The first record that is refused ends the load, and no row was written as a page before it.
    #expect(results[1].hasLoaded == !needsHalts)
  }
}
