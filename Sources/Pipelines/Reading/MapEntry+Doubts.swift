import ObjectModel

extension MapEntry {
  /// Something that is no mistake by itself, but seldom meant.
  package struct Doubt {
    package var code: String
    package var message: String
    package var hint: String
    package var position: FilePosition
  }

  /// Doubtful entries of the map for the columns of a source: a constant that is also the name of a column, and an
  /// optional column that is not there while another of nearly that name is.
  package func doubts(_ columns: Set<String>) -> [Doubt] {
    guard !columns.isEmpty else { return [] }
    let expressions: [RecordExpression] =
      switch value {
      case .attribute(let mapped): [mapped.expression] + [mapped.defaultValue].compactMap { $0 }
      case .reference(let mapped): mapped.from
      case .nested(let mapped): [mapped.elements].compactMap { $0 }
      }
    return expressions.flatMap { expression in
      doubt(ofConstant: expression, columns) + (isOptional ? doubts(ofMissing: expression, columns) : [])
    }
  }

  /// Columns whose names look like constants, such as `0` or `null`, in a map as it was written.
  package func doubts(ofColumnsLikeConstants columns: Set<String>) -> [Doubt] {
    guard case .attribute(let mapped) = value, case .constant = mapped.expression.root,
      !mapped.expression.isLiteral, columns.contains(mapped.expression.source)
    else { return [] }
    let name = mapped.expression.source
    return [
      Doubt(
        code: "lint.column-is-constant",
        message: "\(property): \(name) is the column of that name here, not the constant",
        hint: "for the constant write { value: \(name) }", position: position)
    ]
  }

  private func doubt(ofConstant expression: RecordExpression, _ columns: Set<String>) -> [Doubt] {
    guard let text = expression.root.leadingConstant, columns.contains(text) else { return [] }
    let name = RecordExpressionParser.written(text)
    return [
      Doubt(
        code: "lint.constant-is-column",
        message:
          "\(property): \(RecordExpressionFailure.quoted(text)) is a constant here, and also the name of a column",
        hint: "for the column write \(name) without quotes, as an expression", position: position)
    ]
  }

  private func doubts(ofMissing expression: RecordExpression, _ columns: Set<String>) -> [Doubt] {
    expression.fieldPaths.compactMap { path in
      guard !columns.contains(path), let near = Suggestion.nearest(to: path, among: columns.sorted()) else {
        return nil
      }
      return Doubt(
        code: "lint.optional-column",
        message: "\(property): the optional column \"\(path)\" is not in the source, and one named \"\(near)\" is",
        hint: "did you mean \"\(near)\"?", position: position)
    }
  }
}

extension RecordExpression.Node {
  /// The text constant that the node is, or that its function takes first.
  fileprivate var leadingConstant: String? {
    switch self {
    case .constant(.string(let text)): text
    case .call(let function, let arguments) where function != .concat && function != .coalesce:
      arguments.first?.leadingConstant
    default: nil
    }
  }
}
