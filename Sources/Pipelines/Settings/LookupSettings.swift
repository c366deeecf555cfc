/// An item of `lookups:` of a pipeline file: a source of which one value finds another.
public struct LookupSettings: Sendable {
  /// Its name in expressions.
  public var name: String
  /// Where the records come from.
  public var source: SourceSettings
  /// Yields what is looked for.
  public var key: RecordExpression
  /// Yields what is found.
  public var value: RecordExpression
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}
