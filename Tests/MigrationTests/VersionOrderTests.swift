import Testing

@testable import Migration

/// The order of versions by their names.
@Suite("order of versions")
struct VersionOrderTests {
  @Test(
    "numbers count as numbers wherever they stand, and a name comes before those that go on",
    arguments: [
      ["Shop", "Shop 2", "Shop 10", "Shop 11"], ["M 1.8.0", "M 1.9.0", "M 1.10.0", "M 1.10.1", "M 2.0"],
      ["Model v1", "Model v2 beta", "Model v10"], ["2019-01", "2019-2", "2020-1"], ["A", "B"],
      ["alpha", "Beta 2", "beta 10", "Zebra"], ["Shop", "shop"],
      ["Shop 2", "Shop 99999999999999999999998", "Shop 99999999999999999999999"],
    ])
  func order(names: [String]) {
    #expect(names.reversed().sorted(by: ModelLibrary.precedes) == names)
    for name in names { #expect(!ModelLibrary.precedes(name, name)) }
  }
}
