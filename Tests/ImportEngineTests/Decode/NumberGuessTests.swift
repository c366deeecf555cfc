import Testing

@testable import ImportEngine

@Suite("Hints for numbers in other forms")
struct NumberGuessTests {
  @Test(
    "a number of another country says how it is read",
    arguments: [
      ("24,90", "number(replace(x, ',', '.')) reads it with a comma before the decimals"),
      ("45.678,00", "number(replace(replace(x, '.', ''), ',', '.')) reads it with a comma before the decimals"),
      ("-1.234.567,5", "number(replace(replace(x, '.', ''), ',', '.')) reads it with a comma before the decimals"),
      ("1,024.90", "number(replace(x, ',', '')) reads it with a point before the decimals"),
      ("1,024,000", "number(replace(x, ',', '')) reads it with commas between thousands"),
      ("1.024.000", "number(replace(x, '.', '')) reads it with points between thousands"),
      (
        "1,024",
        "number(replace(x, ',', '.')) reads it with a comma before the decimals; number(replace(x, ',', '')) where it stands between thousands"
      ),
      ("$24.90", "number(replace(x, '$', '')) reads it, and leaves out \"$\""),
      ("12 %", "number(replace(replace(x, '%', ''), ' ', '')) reads it, and leaves out \"%\", \" \""),
      (
        "€ 1.234,50",
        "number(replace(replace(replace(replace(x, '€', ''), ' ', ''), '.', ''), ',', '.')) reads it with a comma before the decimals and leaves out \"€\", \" \""
      ),
    ])
  func advice(text: String, hint: String) {
    #expect(NumberGuess.advice(for: text) == hint)
  }

  @Test(
    "any other text has no such hint",
    arguments: ["", "x", "NULL", "1.5", "12.5.2024", "1,2,3", "5 kg", "-", ",5", "1e5", "0x10", "１２"])
  func none(text: String) { #expect(NumberGuess.advice(for: text) == nil) }
}
