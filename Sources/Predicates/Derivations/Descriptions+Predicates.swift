public import ObjectModel

extension DerivedAttributeDescription {
  /// How the value is computed: a key path such as `author.name`, `count:(pages)`, `sum:(lines.price)`,
  /// `canonical:(name)`, `now()`. Nil until it is set.
  public var derivationExpression: FetchExpression? {
    get { derivationText.isEmpty ? nil : try? FetchExpression(parsing: derivationText) }
    set { derivationText = newValue.map { "\($0)" } ?? "" }
  }
}

extension FetchIndexDescription {
  /// Only rows that meet it are indexed; nil for all rows.
  public var partialIndexPredicate: FetchPredicate? {
    get { predicateText.map { FetchPredicate(format: $0) } }
    set { predicateText = newValue?.predicateFormat }
  }
}
