public import ObjectModel

/// Every way in which the objects of a save, or the values of a record, break the model's rules.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
  /// The rule that was broken. Raw values appear in reject files and do not change.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case missingValue = "missing-value"
    case wrongType = "wrong-type"
    case notANumber = "not-a-number"
    case numberTooSmall = "number-too-small"
    case numberTooLarge = "number-too-large"
    case dateTooSoon = "date-too-soon"
    case dateTooLate = "date-too-late"
    case stringTooShort = "string-too-short"
    case stringTooLong = "string-too-long"
    case patternMismatch = "pattern-mismatch"
    case missingRelationship = "missing-relationship"
    case tooFewObjects = "too-few-objects"
    case tooManyObjects = "too-many-objects"
    case wrongDestination = "wrong-destination"
    case deletedDestination = "deleted-destination"
    case deniedDelete = "denied-delete"
    /// A `validateFor…` method of a subclass refused.
    case custom = "custom"
  }

  /// One broken rule of one object.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// Nil where there is no object yet.
    public var objectID: ObjectID?
    /// The name of the object's own entity.
    public var entity: String
    /// Nil when the object as a whole is at fault.
    public var property: String?
    /// The rule, for programs.
    public var code: Code
    /// The problem, for people.
    public var message: String
    /// The value that an attribute has; nil for a relationship, and where it is not known.
    public var value: Value?

    /// One problem.
    public init(
      objectID: ObjectID? = nil, entity: String, property: String?, code: Code, message: String, value: Value? = nil
    ) {
      self.objectID = objectID
      self.entity = entity
      self.property = property
      self.code = code
      self.message = message
      self.value = value
    }

    /// Entity, property, message, code and object on one line.
    public var description: String {
      "\(entity)\(property.map { "." + $0 } ?? ""): \(message) [\(code.rawValue)]" + (object.map { " (\($0))" } ?? "")
    }

    /// The object as the end of its URI has it: `p` and its primary key, or `t` and a UUID while it is not saved.
    private var object: String? {
      objectID.map { objectID in
        switch objectID.reference {
        case .permanent(_, let key): "\(entity)/p\(key)"
        case .temporary(let uuid): "\(entity)/t\(uuid)"
        }
      }
    }
  }

  /// At least one.
  public var problems: [Problem]

  /// An error with these problems, of which there is at least one.
  public init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// One line per problem. Of more than ten the first ones, and how many there are; `problems` has them all.
  public var description: String { ProblemList.text(problems) }
}
