extension ImportStep {
  /// All expressions of the step.
  package var expressions: [RecordExpression] { [condition, key].compactMap { $0 } + Self.expressions(of: map) }

  private static func expressions(of map: [MapEntry]) -> [RecordExpression] {
    map.flatMap { entry in
      switch entry.value {
      case .attribute(let mapped): [mapped.expression]
      case .reference(let mapped): mapped.from
      case .nested(let mapped): [mapped.elements].compactMap { $0 } + expressions(of: mapped.map)
      }
    }
  }

  /// How many files a record names.
  package var filesPerRecord: Int {
    expressions.flatMap(\.root.withOperands).count { node in
      if case .call(.file, _) = node { return true }
      return false
    }
  }
}
