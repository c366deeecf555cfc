import Foundation
import Testing

/// `round()` of numbers that a Double does not hold.
@Suite("Rounding decimals")
struct DecimalRoundingTests {
  @Test("is exact in CSV and JSON, to the last of 38 digits", arguments: ["csv", "json"])
  func exact(format: String) async throws {
    let cases = [
      ("1234567890123456.785", "2", "1234567890123456.79"), ("-1234567890123456.785", "2", "-1234567890123456.79"),
      ("12345678901234567890123456789.345", "1", "12345678901234567890123456789.3"),
      ("0.12345678901234565", "15", "0.123456789012346"), ("99999999999999999.995", "2", "100000000000000000"),
      ("123456789012345678.5", "0", "123456789012345679"), ("123456789012345678.5", "-3", "123456789012346000"),
      ("2.675", "2", "2.68"), ("-0.5", "0", "-1"), ("1e3", "0", "1000"), ("0.004", "2", "0"),
    ]
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Price">
      <attribute name="amount" attributeType="Decimal"/><attribute name="text" attributeType="String"/>
      <attribute name="isLarge" attributeType="Boolean"/>
      </entity>
      """)
    try workspace.write("p.csv", "n,d\n" + cases.map { "\($0.0),\($0.1)\n" }.joined())
    try workspace.write("p.json", "[" + cases.map { "{\"n\":\($0.0),\"d\":\($0.1)}" }.joined(separator: ",") + "]")
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: P.sqlite }
      import:
        - from: p.\(format)
          entity: Price
          map: { amount: "round(n, d)", text: "round(n, d)", isLarge: "round(n, d) > 1234567890123456.7" }
      export: [{ entity: Price, to: out.csv, columns: [text, amount] }]
      """)
    let run = try await workspace.run("run", "--quiet", "p.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    func amount(_ text: String) -> Decimal? { Decimal(string: text) }
    let rows = try workspace.text("out.csv").split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",").map(String.init)
    }
    for (row, expected) in zip(rows, cases) {
      #expect(amount(row[0]) == amount(expected.2), "\(expected): \(row)")
      // Core Data's Decimal column holds a REAL, and that some 15 digits.
      #expect(Double(row[1]) == Double(expected.2), "\(expected): \(row)")
    }
    #expect(
      try workspace.query("P.sqlite", "SELECT group_concat(ZISLARGE, '') FROM ZPRICE") == ["10101110000"])
  }
}
