package import ObjectModel

extension ManagedObjectModel {
  /// The entity of that name.
  /// - Throws: an error with that code when the model has none; its hint names an entity with a similar name, or all.
  package func entity(named name: String, code: String) throws(RunError) -> Entity {
    if let entity = self[name] { return entity }
    let names = entities.map(\.name)
    throw RunError(
      .badPipeline, code: code, "the model has no entity \"\(name)\"",
      hint: Suggestion.hint(for: name, among: names) ?? Suggestion.list("entities", names))
  }
}
