/// Which generation of its stores a context reads: `current`, or what `ManagedObjectContext.queryGenerationToken`
/// gives.
///
/// A generation is kept as long as a context or the program has its token. SQLite keeps what it needs for that in the
/// write-ahead log, so that the log grows with every save meanwhile, and files of external data stay.
public struct QueryGenerationToken: Sendable, Hashable {
  /// What is newest when the context next loads something. From then on the context has a token of its own.
  public static let current = QueryGenerationToken(nil)

  /// nil: still to be opened.
  let generation: QueryGeneration?

  init(_ generation: QueryGeneration?) { self.generation = generation }

  /// Whether both are of one generation, or both `current`.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
    left.generation === right.generation
  }

  /// Hashes the identity of the generation.
  public func hash(into hasher: inout Hasher) { hasher.combine(generation.map(ObjectIdentifier.init)) }
}
