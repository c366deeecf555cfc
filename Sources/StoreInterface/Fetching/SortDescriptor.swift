public import Predicates

extension FetchRequest {
  /// A key path, a direction and a way to compare.
  public struct SortDescriptor: Sendable, Hashable {
    /// Through to-one relationships to an attribute. In a request for dictionaries, one name may also be that of a
    /// fetched expression.
    public var keyPath: FetchPredicate.KeyPath
    /// Smallest first; missing values then come first too.
    public var isAscending: Bool
    /// How values compare.
    public var comparison: Comparison

    /// Sorts by the value at the key path, by default ascending and by bytes.
    public init(_ keyPath: FetchPredicate.KeyPath, ascending: Bool = true, comparison: Comparison = .binary) {
      self.keyPath = keyPath
      self.isAscending = ascending
      self.comparison = comparison
    }

    /// How text sorts. Other kinds always sort by value: missing values, numbers, text, bytes.
    public enum Comparison: Sendable, Hashable, CaseIterable {
      /// By UTF-8 bytes (`Value.sortOrder`).
      case binary
      /// As people expect it (`LocalizedOrder`): what Core Data's `localizedStandardCompare:` is for.
      case localizedStandard
      /// By the bytes of what `TextFolding` leaves without case.
      case caseInsensitive

      /// The comparison that a selector's name means; nil for one that no store can sort by.
      public init?(selector: String) {
        switch selector {
        case "compare:": self = .binary
        case "localizedStandardCompare:", "localizedCompare:": self = .localizedStandard
        case "caseInsensitiveCompare:", "localizedCaseInsensitiveCompare:": self = .caseInsensitive
        default: return nil
        }
      }
    }
  }
}
