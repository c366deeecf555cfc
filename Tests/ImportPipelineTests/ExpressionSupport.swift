import ImportPipeline

/// A record for expressions: field values by slot.
struct FieldTable: FieldAccess {
  let values: [ExpressionValue]

  init(_ values: [ExpressionValue]) {
    self.values = values
  }

  func value(slot: Int) -> ExpressionValue { values[slot] }
}

/// The pipeline's expression under a name that Foundation does not have.
typealias RecordExpression = Expression
