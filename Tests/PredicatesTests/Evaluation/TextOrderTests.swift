import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("Folding and the order of texts")
struct TextOrderTests {
  @Test("folding is Foundation's, also on the short way for ASCII", arguments: 0..<4)
  func folding(seed: UInt64) {
    var random = SeededGenerator(seed: seed &+ 1)
    let pieces = [
      "a", "Z", "0", " ", "é", "e\u{301}", "Å", "ß", "İ", "ı", "Σ", "ς", "ﬁ", "Ｃ", "が", "か\u{3099}", "한", "😀", "Ж", "ё",
      "\u{301}",
    ]
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }
        .joined()
      for (options, expected): (FetchPredicate.Comparison.Options, String.CompareOptions) in [
        ([], []), (.caseInsensitive, .caseInsensitive), (.diacriticInsensitive, .diacriticInsensitive),
        ([.caseInsensitive, .diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive]),
      ] {
        let folded = TextFolding.fold(text, options: options)
        #expect(folded.utf8.elementsEqual(text.folding(options: expected, locale: nil).utf8), "\(text)")
      }
      let canonical = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      #expect(TextFolding.canonical(text).utf8.elementsEqual(canonical.utf8))
    }
  }

  @Test("people's order: blanks, punctuation, symbols, numbers by value, letters without case and diacritics first")
  func order() {
    let sorted = [
      "", " a", "-a", "+a", "1", "01", "2", "10", "010", "a", "A", "a1", "a2", "a10", "á", "Á", "ab", "b", "B", "e",
      "é", "f", "stop 9",
      "Stop 10", "z", "ж",
    ].map { $0 == "A" || $0 == "á" || $0 == "Á" ? $0 : $0 }
    var random = SeededGenerator(seed: 4)
    let comparison = FetchSortDescriptor.Comparison.localizedStandard
    let again = sorted.shuffled(using: &random).sorted { comparison.order(.string($0), .string($1)) < 0 }
    #expect(
      again == [
        "", " a", "-a", "+a", "01", "1", "2", "010", "10", "a", "A", "á", "Á", "a1", "a2", "a10", "ab", "b", "B", "e",
        "é", "f", "stop 9", "Stop 10", "z", "ж",
      ])
  }

  @Test("the order is total, and equal exactly where folding leaves the same", arguments: 0..<3)
  func total(seed: UInt64) {
    var random = SeededGenerator(seed: seed &+ 77)
    let pieces = ["a", "A", "á", "Á", "a\u{301}", "0", "1", "10", "-", " ", "é", "b"]
    func text() -> String {
      (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }.joined()
    }
    for _ in 0..<600 {
      let (first, second, third) = (text(), text(), text())
      for raw in UInt8(0)..<4 {
        let options = FetchPredicate.Comparison.Options(rawValue: raw)
        let order = LocalizedOrder.compare(first, second, options: options)
        #expect(order.signum() == -LocalizedOrder.compare(second, first, options: options).signum())
        let isSame = TextFolding.fold(first, options: options).utf8.elementsEqual(
          TextFolding.fold(second, options: options).utf8)
        #expect((order == 0) == isSame, "\(first) \(second) \(raw)")
        if order <= 0 && LocalizedOrder.compare(second, third, options: options) <= 0 {
          #expect(LocalizedOrder.compare(first, third, options: options) <= 0, "\(first) \(second) \(third)")
        }
      }
    }
  }

  @Test("the short way for ASCII agrees with the levels", arguments: 0..<4)
  func ascii(seed: UInt64) {
    var random = SeededGenerator(seed: seed &+ 5)
    let few = Array("aAbB019 -_$~Z".utf8)
    for round in 0..<3_000 {
      func text() -> String {
        let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
          round % 2 == 0 ? few.randomElement(using: &random) ?? 0 : UInt8.random(in: 0..<128, using: &random)
        }
        return String(decoding: bytes, as: UTF8.self)
      }
      let (first, second) = (text(), text())
      for raw in UInt8(0)..<4 {
        let options = FetchPredicate.Comparison.Options(rawValue: raw)
        #expect(
          LocalizedOrder.compare(first, second, options: options).signum()
            == LocalizedOrder.compareFolded(first, second, options).signum(),
          "\(first.debugDescription) \(second.debugDescription) \(raw)")
      }
    }
  }

  @Test("selectors of sort descriptors")
  func selectors() {
    typealias Comparison = FetchSortDescriptor.Comparison
    #expect(Comparison(selector: "compare:") == .binary)
    #expect(Comparison(selector: "localizedStandardCompare:") == .localizedStandard)
    #expect(Comparison(selector: "caseInsensitiveCompare:") == .caseInsensitive)
    #expect(Comparison(selector: "mySelector:") == nil)
    #expect(Comparison.caseInsensitive.order(.string("a"), .string("A")) == 0)
    #expect(Comparison.caseInsensitive.order(.integer(5), .string("A")) < 0)
  }
}
