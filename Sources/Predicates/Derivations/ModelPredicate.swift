/// A condition that a model states as text (of a partial index, or a derived attribute's filter), as far as it has a
/// meaning inside a schema: comparisons of an entity's own columns with constants, joined by AND, OR and NOT.
package indirect enum ModelPredicate: Hashable, Sendable {
  case constant(Bool)
  case comparison(keyPath: String, sign: String, literal: Literal)
  case between(keyPath: String, Literal, Literal)
  case isIn(keyPath: String, [Literal])
  case not(ModelPredicate)
  case and([ModelPredicate])
  case or([ModelPredicate])

  /// A constant that an attribute is compared with.
  package enum Literal: Hashable, Sendable {
    case null
    /// A number as text; booleans are 1 and 0.
    case number(String)
    case text(String)
  }

  /// Why a text is not such a condition.
  package struct Refusal: Error, Hashable {
    package var message: String

    package init(message: String) { self.message = message }
  }

  /// Every key path that occurs.
  package var keyPaths: Set<String> {
    switch self {
    case .constant: []
    case .comparison(let keyPath, _, _), .between(let keyPath, _, _), .isIn(let keyPath, _): [keyPath]
    case .not(let part): part.keyPaths
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.keyPaths) }
    }
  }
}
