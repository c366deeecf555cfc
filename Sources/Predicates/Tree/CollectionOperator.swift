extension FetchExpression {
  /// An `@operator` of a key path, which reduces a list.
  ///
  /// Missing elements are left out first. Numbers add up as `Function.sum` says.
  public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
    /// The number of elements.
    case count = "@count"
    /// The sum of the numbers; 0 of none.
    case sum = "@sum"
    /// The mean of the numbers; missing of none.
    case average = "@avg"
    /// The smallest and the greatest value in sort order; missing of none.
    case minimum = "@min"
    case maximum = "@max"
    /// The list itself, unchanged.
    case unionOfObjects = "@unionOfObjects"
    /// The list with equal elements once, at their first place.
    case distinctUnionOfObjects = "@distinctUnionOfObjects"

    /// The operator of a name in the format language. Lists in lists are flattened, so that the operators of lists of
    /// arrays and sets are those of objects.
    package init?(name: String) {
      switch name {
      case "@unionOfArrays", "@unionOfSets": self = .unionOfObjects
      case "@distinctUnionOfArrays", "@distinctUnionOfSets": self = .distinctUnionOfObjects
      default: self.init(rawValue: name)
      }
    }

    /// The function that does the same with a list of values; nil for those that give a list.
    public var function: Function? {
      switch self {
      case .count: .count
      case .sum: .sum
      case .average: .average
      case .minimum: .minimum
      case .maximum: .maximum
      case .unionOfObjects: nil
      case .distinctUnionOfObjects: .distinct
      }
    }
  }
}
