import ImportEngine
import ObjectModel
import SeedFormats
import Testing

@Suite("A field's text tried as a type")
struct ValueTrialTests {
  private static func outcome(_ text: String, _ type: AttributeType) throws -> ValueTrial.Outcome {
    let trial = try #require(ValueTrial(type))
    return unsafe Array(text.utf8).withUnsafeBytes { unsafe trial.outcome($0, .string) }
  }

  @Test(
    "the same text, the same value, something lost, or refused",
    arguments: [
      ("5", AttributeType.integer16, ValueTrial.Outcome.same), ("-32768", .integer16, .same),
      ("32768", .integer16, .refused), ("007", .integer32, .changed), ("+1", .integer64, .changed),
      ("1.0", .integer64, .refused), ("1.5", .double, .same), ("1.50", .double, .sameValue), ("1", .double, .sameValue),
      ("1e3", .double, .sameValue), ("01.5", .double, .changed), ("0.12345678901234567890", .double, .changed),
      ("NaN", .double, .refused), ("-0.0", .double, .sameValue), ("-0", .double, .sameValue),
      ("-0e5", .float, .sameValue),
      ("-0.00", .decimal, .sameValue), ("-0", .integer32, .changed), ("-00.0", .double, .changed),
      ("-0.01", .double, .same), ("1.50", .decimal, .sameValue), ("1.5", .decimal, .same), ("true", .boolean, .same),
      ("YES", .boolean, .sameValue), ("maybe", .boolean, .refused), ("2024-01-05T10:00:00Z", .date, .same),
      ("2024-01-05", .date, .sameValue), ("2024-02-30", .date, .refused),
      ("6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11", .uuid, .same),
      ("6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b11", .uuid, .sameValue), ("https://example.org", .uri, .same),
      ("a b", .uri, .refused), ("AAEC", .binary, .same), ("AAE", .binary, .refused),
    ])
  func outcomes(text: String, type: AttributeType, expected: ValueTrial.Outcome) throws {
    #expect(try Self.outcome(text, type) == expected)
  }

  @Test("types that no text is decoded to have no trial")
  func none() {
    for type in [AttributeType.string, .transformable, .composite, .objectID, .undefined] {
      #expect(ValueTrial(type) == nil)
    }
  }
}
