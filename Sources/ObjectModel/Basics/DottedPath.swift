extension String {
  /// The names of a dotted path.
  package var keyPathComponents: [String] { split(separator: ".").map(String.init) }
}
