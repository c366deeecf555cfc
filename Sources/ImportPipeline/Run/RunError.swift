/// Why a run ended without its result. Exit codes are the command's business; `kind` tells which applies.
public struct RunError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Hashable {
    /// Bad data beyond the limit.
    case badData
    /// An input is missing or unreadable.
    case missingInput
    /// The result cannot be created.
    case cannotCreate
    /// Input or output failed: disk full, truncated gzip.
    case inputOutput
    /// Another run holds the store.
    case locked
    /// The pipeline or the model is wrong.
    case badPipeline
    case interrupted
    case `internal`
  }
  public var kind: Kind
  public var code: String
  public var message: String
  public var hint: String?

  public init(_ kind: Kind, code: String, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.code = code
    self.message = message
    self.hint = hint
  }

  public var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}
