extension PipelineSection {
  static let stepExpectationFields = [
    FieldSpec(
      "min", .integer(minimum: 0), .none,
      "The fewest records that must be taken up: inserted, updated or found unchanged.", example: "1000"),
    FieldSpec("max", .integer(minimum: 0), .none, "The most records that may be taken up.", example: "50000"),
    FieldSpec(
      "shrink", .percentage, .none,
      """
      By how much the rows of the step's entity (sub-entities included) may get fewer: those of the finished store \
      against those of the store that is there, under `store.path`. Where none is there, nothing can shrink.
      """, example: "20%"),
    FieldSpec(
      "rejects", .countOrPercentage, .none,
      """
      The most rejects of the step, as a number or a percentage of the records read. The limits of `rejects:` hold \
      besides.
      """, example: "0.5%"),
  ]

  static let storeExpectationFields = [
    FieldSpec(
      "entity", .text, .required, "The entity whose objects are counted, sub-entities included.", example: "Stop"),
    FieldSpec(
      "predicate", .text, .derived("all objects"),
      "Which objects are counted, in the format language of `NSPredicate`, without arguments.",
      example: "\"latitude == nil OR longitude == nil\""),
    FieldSpec("count", .integer(minimum: 0), .none, "How many there must be, exactly.", example: "417"),
    FieldSpec(
      "min", .integer(minimum: 0), .derived("0; 1 where neither `count` nor `max` is stated"),
      "The fewest that there must be.", example: "1"),
    FieldSpec("max", .integer(minimum: 0), .none, "The most that there may be.", example: "0"),
    FieldSpec(
      "name", .text, .derived("what is counted"), "What messages call it.", example: "every stop has a place"),
  ]
}
