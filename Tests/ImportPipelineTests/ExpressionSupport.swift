import ImportPipeline

/// A record for expressions: field values by slot.
struct FieldTable: FieldAccess {
  let values: [RecordExpressionValue]

  init(_ values: [RecordExpressionValue]) {
    self.values = values
  }

  func value(slot: Int) -> RecordExpressionValue { values[slot] }
}

/// The pipeline's expression under a name that Foundation does not have.
