public import Predicates

/// How a fetch sorts: by the value at a key path, in a direction, compared in some way.
///
/// `NSSortDescriptor` and Foundation's `SortDescriptor` compare objects in memory; stores have to sort by this one.
public struct FetchSortDescriptor: Sendable, Hashable {
  /// Through to-one relationships to an attribute. In a request for dictionaries, one name may also be that of a
  /// fetched expression.
  public var keyPath: FetchPredicate.KeyPath
  /// Smallest first; missing values then come first too.
  public var isAscending: Bool
  /// How two values are compared.
  public var comparison: Comparison

  /// Sorts by the value at the key path, by default ascending and by bytes.
  public init(_ keyPath: FetchPredicate.KeyPath, ascending: Bool = true, comparison: Comparison = .binary) {
    self.keyPath = keyPath
    self.isAscending = ascending
    self.comparison = comparison
  }

  /// Sorts by the value at a key path written with dots, such as `owner.name`.
  public init(key: String, ascending: Bool = true, comparison: Comparison = .binary) {
    self.init(FetchPredicate.keyPath(key), ascending: ascending, comparison: comparison)
  }

  /// `isAscending`
  public var ascending: Bool { isAscending }
  /// The key path with dots.
  public var key: String { keyPath.joined(separator: ".") }
  /// The same key path in the other direction.
  public var reversedSortDescriptor: FetchSortDescriptor {
    FetchSortDescriptor(keyPath, ascending: !isAscending, comparison: comparison)
  }

  /// How text sorts. Other kinds always sort by value: missing values, numbers, text, bytes.
  public enum Comparison: Sendable, Hashable, CaseIterable {
    /// Text sorts by its UTF-8 bytes (`Value.sortOrder`).
    case binary
    /// Text sorts as people expect it (`LocalizedOrder`): what Core Data's `localizedStandardCompare:` is for.
    case localizedStandard
    /// Text sorts by the bytes of what `TextFolding` leaves without case.
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

extension FetchSortDescriptor: CustomStringConvertible {
  /// Key, direction and comparison, as Core Data prints them: `(title, ascending, compare:)`.
  public var description: String {
    let selector =
      switch comparison {
      case .binary: "compare:"
      case .localizedStandard: "localizedStandardCompare:"
      case .caseInsensitive: "caseInsensitiveCompare:"
      }
    return "(\(key), \(isAscending ? "ascending" : "descending"), \(selector))"
  }
}
