extension ImportStep {
  /// All expressions of the step.
  package var expressions: [RecordExpression] { [condition, key].compactMap { $0 } + Self.expressions(of: map) }

  private static func expressions(of map: [MapEntry]) -> [RecordExpression] {
    map.flatMap { entry in
      switch entry.mapping {
      case .attribute(let mapping): [mapping.expression]
      case .reference(let mapping): mapping.from
      case .nested(let mapping): [mapping.elements].compactMap { $0 } + expressions(of: mapping.map)
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
