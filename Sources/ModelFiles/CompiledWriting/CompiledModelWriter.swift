public import ObjectModel

/// Writes models as keyed archives, in the form in which Core Data keeps a store's model in `Z_MODELCACHE`.
///
/// What is written reads back as the same model with the same version hashes, but for what compiled models do not hold:
/// the scalar flag, the way of code generation, the class of transformable values and the names of composite types; and
/// but for `validationRules`, which no model file keeps here.
/// Equal models give equal bytes.
public enum CompiledModelWriter {
  /// The archive of a model, a binary property list.
  ///
  /// A fetch request template or fetched property whose predicate has no known archived form (`SUBQUERY`, `TERNARY`, set
  /// operations) is left out, and an index whose predicate or expressions have none: no hash rests on it.
  /// - Throws: `ModelError` with everything that has no known archived form and that hashes rest on: such expressions
  ///   in derived attributes.
  /// - Complexity: O(entities · properties), inherited ones included.
  public static func archive(of model: ManagedObjectModel) throws(ModelError) -> [UInt8] {
    var encoder = CompiledModelEncoder(model)
    let bytes = encoder.encode()
    guard encoder.problems.isEmpty else { throw ModelError(encoder.problems) }
    return bytes
  }
}
