import ObjectModel

extension StepPlanner {
  func failure(
    _ code: String, _ message: String, at position: FilePosition, hint: String? = nil
  ) -> RunError {
    var error = RunError(
      .badPipeline, code: code, "\(pipelinePath):\(position.line):\(position.column): \(message)", hint: hint)
    error.place = RunError.Place(position: position, message: message)
    return error
  }

  func unknownProperty(_ entry: MapEntry, of entity: Entity) -> RunError {
    let names = entity.storedAttributes.map(\.name) + entity.relationships.map(\.name)
    if entity.relationship(entry.property) != nil {
      return failure(
        "pipeline.relationship-form", "\(entry.property) is a relationship", at: entry.position,
        hint: "write { match: <attribute of the destination>, from: <field> }, or { from: <field>, map: {…} }")
    }
    if names.contains(entry.property) {
      return failure(
        "pipeline.attribute-form", "\(entry.property) is an attribute, not a relationship", at: entry.position,
        hint: "write \(entry.property): <field>, or { from: <field> } with more to say")
    }
    return failure(
      "pipeline.unknown-property", "\(entity.name) has no stored property \(entry.property)", at: entry.position,
      hint: Suggestion.hint(for: entry.property, among: names) ?? "it has \(names.joined(separator: ", "))")
  }
}
