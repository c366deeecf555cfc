public import Seedbed

/// A mistake in fixtures.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in words.
  public var message: String
  /// What to do about it, where that is known.
  public var hint: String?
  /// The file, or what a text was called; nil where it concerns none.
  public var file: String?
  /// From 1; nil where it concerns the whole.
  public var line: Int?
  /// The entity of the record.
  public var entity: String?
  /// The name of the property; nil where it concerns none.
  public var property: String?

  init(
    _ message: String, hint: String? = nil, file: String? = nil, line: Int? = nil, entity: String? = nil,
    property: String? = nil
  ) {
    self.message = message
    self.hint = hint
    self.file = file
    self.line = line
    self.entity = entity
    self.property = property
  }

  private var sentence: String {
    let place = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
    let name = [entity, property].compactMap { $0 }.joined(separator: ".")
    return [place, name, message].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// Place, entity, property, what is wrong, and the hint.
  public var description: String { sentence + (hint.map { "\n  hint: \($0)" } ?? "") }
}

extension FixtureError: BridgedError {
  /// Place, entity, property, and what is wrong.
  public var errorDescription: String? { sentence }
  /// What to do about it, where that is known.
  public var recoverySuggestion: String? { hint }
  /// The error domain of this type.
  public static var errorDomain: String { "Seedbed.FixtureError" }
  /// 1: there is one kind.
  public var errorCode: Int { 1 }
  /// The description, the hint and the file.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    information[NSLocalizedRecoverySuggestionErrorKey] = hint
    information[NSFilePathErrorKey] = file
    return information
  }
}
