internal import Yams

extension SectionReader {
  mutating func stepExpectation(_ node: Node) -> StepExpectation? {
    guard let values = section(.stepExpectation, node) else { return nil }
    if values.positions.keys.allSatisfy({ values.values[$0] == .null }) {
      add(
        "empty", "\"expect\" expects nothing", hint: "add min: 1, max:, shrink: or rejects:, or remove it",
        at: values.position)
    }
    let minimum = values.integer("min")
    let maximum = values.integer("max")
    checkRange(minimum, maximum, values)
    return StepExpectation(
      minimum: minimum, maximum: maximum, shrink: values.percentage("shrink"),
      rejects: values.percentage("rejects").map { .percent($0) } ?? values.integer("rejects").map { .count($0) },
      fieldPositions: values.positions)
  }

  mutating func storeExpectation(_ node: Node) -> StoreExpectation? {
    guard let values = section(.storeExpectation, node), let entity = values.text("entity") else { return nil }
    let count = values.integer("count")
    if count != nil {
      for name in ["min", "max"] where values.integer(name) != nil {
        add("range", "\"count\" says all that \"\(name)\" could", hint: "remove one of them", at: values.position(name))
      }
    }
    let minimum = count ?? values.integer("min")
    let maximum = count ?? values.integer("max")
    checkRange(minimum, maximum, values)
    return StoreExpectation(
      name: values.text("name"), entity: entity, predicate: values.text("predicate"),
      // Nothing stated: there must be some.
      minimum: minimum ?? (maximum == nil ? 1 : 0), maximum: maximum, position: values.position,
      fieldPositions: values.positions)
  }

  private mutating func checkRange(_ minimum: Int?, _ maximum: Int?, _ values: SectionValues) {
    guard let minimum, let maximum, minimum > maximum else { return }
    add("range", "\"min\" is \(minimum) and \"max\" is \(maximum): no number is both", at: values.position("min"))
  }
}
