extension PropertyMapping {
  /// The property of the source whose value is taken over as it is: by `$source.x`, or for a relationship by the
  /// look-up of what `$source.x` became. Nil for every other expression and for none.
  public var sourcePropertyName: String? {
    guard let expression = valueExpression else { return nil }
    if let name = Self.name(in: expression[...]) { return name }
    let function = /FUNCTION\(\$manager, "(\w+:sourceInstances:)", "\w+", (\$source\.\w+)\)/
    guard let match = expression.wholeMatch(of: function), Self.lookUps.contains(String(match.output.1)) else {
      return nil
    }
    return Self.name(in: match.output.2)
  }

  private static let lookUps: Set<String> = [
    "destinationInstancesForEntityMappingNamed:sourceInstances:",
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
  ]

  private static func name(in expression: Substring) -> String? {
    guard expression.hasPrefix("$source.") else { return nil }
    let name = expression.dropFirst("$source.".count)
    return name.isEmpty || name.contains(where: { !($0.isLetter || $0.isNumber || $0 == "_") }) ? nil : String(name)
  }
}
