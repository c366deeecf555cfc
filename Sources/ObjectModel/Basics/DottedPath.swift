extension String {
  /// The names of a dotted path.
  package var pathComponents: [String] { split(separator: ".").map(String.init) }
}
