/// Which of Xcode's rules a model must meet.
public enum ModelValidation: Int, Sendable, Comparable {
  /// For models built in code: every mistake is an error.
  case strict
  /// For a model's source: what Xcode warns of, or finds out when the app runs at the earliest, is a warning.
  case source
  /// For models that Apple's tools made and apps use, out of a store or compiled: everything is a warning but what no
  /// store could be laid out from.
  case compiled

  /// Orders by tolerance, the strictest first.
  public static func < (left: ModelValidation, right: ModelValidation) -> Bool { left.rawValue < right.rawValue }
}
