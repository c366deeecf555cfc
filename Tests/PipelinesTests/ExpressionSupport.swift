import Pipelines

/// A record for expressions: field values by slot.
struct FieldTable: FieldAccess {
  let values: [RecordExpressionValue]

  init(_ values: [RecordExpressionValue]) {
    self.values = values
  }

  func value(slot: Int) -> RecordExpressionValue { values[slot] }
}
