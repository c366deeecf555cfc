import Pipelines
import Testing

@Suite("Text as it is shown")
struct HarmlessTextTests {
  @Test("what would take hold of a terminal is written out, in text and in JSON")
  func forms() {
    #expect(HarmlessText.of("a\u{1B}b\u{202E}ü\n") == "a\\u{1b}b\\u{202e}ü\n")
    #expect(HarmlessText.line("a\nb") == "a\\nb")
    #expect(JSONValue.string("\u{9B}\u{2066}\u{7F}\té").text(isIndented: false) == "\"\\u009b\\u2066\\u007f\\té\"")
  }
}
