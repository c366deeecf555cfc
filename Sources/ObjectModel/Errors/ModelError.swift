/// Every mistake that was found in a model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a mistake, stable across versions of the messages.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A file or folder is missing, unreadable, too large or not a model at all.
    case unreadableFile
    /// The system failed to read a file that is there: a broken disk, or too many open files.
    case inputOutput
    /// The file is not well-formed XML, or ends too early.
    case malformedXML
    /// The archive of a compiled model is damaged, is none, or holds what no model has.
    case malformedArchive
    /// A file format that is known and not supported, such as the binary models of Xcode 3.
    case unsupportedFormat
    /// The requested or the current version is not in the model's folder, or cannot be told.
    case unknownVersion
    /// A required XML attribute is absent.
    case missingAttribute
    /// An XML attribute has a value that its kind does not allow.
    case invalidValue
    /// Content that the reader left out (a warning), or that a compiled model has no form for.
    case unknownContent
    case invalidName
    case duplicateName
    case unknownEntity
    case unknownProperty
    case parentCycle
    case missingInverse
    case inverseMismatch
    case invalidCount
    case invalidAttribute
    case invalidComposite
    case invalidConstraint
    case invalidFetchIndex
  }

  /// One mistake: where, what, and what to do.
  public struct Problem: Sendable, Hashable {
    /// What kind of mistake it is.
    public var code: Code
    /// Name of the entity it is about.
    public var entity: String?
    /// Name of the property it is about.
    public var property: String?
    /// Another named part of the model, such as "fetchIndex byDate", "configuration Cloud" or "composite Address".
    public var element: String?
    /// Path of the file, when the model came from one.
    public var file: String?
    /// 1-based line in `file`.
    public var line: Int?
    /// What is wrong, with the names that it is about; one sentence without a period.
    public var message: String
    /// What to do about it.
    public var hint: String?

    /// A mistake, by default an `invalidValue` without a place.
    public init(
      _ code: Code = .invalidValue, entity: String? = nil, property: String? = nil, element: String? = nil,
      file: String? = nil, line: Int? = nil, message: String, hint: String? = nil
    ) {
      self.code = code
      self.entity = entity
      self.property = property
      self.element = element
      self.file = file
      self.line = line
      self.message = message
      self.hint = hint
    }
  }

  /// At least one problem, in the order in which they were found.
  public var problems: [Problem]

  /// An error of these problems.
  public init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// One problem a line as `file:line: message`, each followed by its hint on a line of its own. Of more than ten the
  /// first ones, and how many there are.
  public var description: String { ProblemList.text(problems) }
}

extension ModelError.Problem: CustomStringConvertible {
  /// `file:line: message`, and the hint on a line of its own.
  public var description: String { messageInPlace + (hint.map { "\n  hint: " + $0 } ?? "") }

  /// The description without the hint.
  package var messageInPlace: String {
    (file.map { $0 + (line.map { ":\($0)" } ?? "") + ": " } ?? "") + message
  }

  /// The message with its line, where there is one, for lists of what was found in one file.
  public var shortDescription: String { message + (line.map { " (line \($0))" } ?? "") }
}
