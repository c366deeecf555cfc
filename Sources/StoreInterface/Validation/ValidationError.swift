import Foundation
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
    /// A `validateFor…` method of a subclass refused, or the value does not meet a rule of the program's own.
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
    /// The predicate that the value does not meet, as text, where the program gave the attribute such a rule.
    public var predicate: String?
    private var thrown = ThrownError()

    /// What a `validate…` method of a subclass threw; nil where a rule of the model is broken. Problems that differ in
    /// nothing else are equal.
    public var underlyingError: (any Error)? { thrown.error }

    /// A problem of a property, or of an object as a whole.
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

    /// What a method of a subclass threw about an object, or a property of it.
    package init(
      throwing error: any Error, objectID: ObjectID?, entity: String, property: String?, value: Value? = nil
    ) {
      self.init(
        objectID: objectID, entity: entity, property: property, code: .custom, message: ThrownError.text(of: error),
        value: value)
      thrown = ThrownError(error: error)
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

  /// An error that is not compared: the problem's message says what it says.
  private struct ThrownError: Sendable, Hashable {
    var error: (any Error)?

    static func == (left: ThrownError, right: ThrownError) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    /// `NSError`, `CocoaError` and the like, `BridgedError`.
    static func canBeCaughtAsNSError(_ error: any Error) -> Bool {
      type(of: error) is NSError.Type || error is any BridgedError || error is any _ObjectiveCBridgeable
    }

    static func text(of error: any Error) -> String {
      if canBeCaughtAsNSError(error) { return error.localizedDescription }
      return (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    }
  }

  /// The broken rules, at least one.
  public var problems: [Problem]

  /// An error with these problems, of which there is at least one.
  public init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// What a save with these problems throws: a single error of a subclass's method as it is, if every program can catch
  /// it. Others stay a problem's `underlyingError`: a `catch let error as NSError`, which Core Data code is full of,
  /// ends the program for them outside Apple's systems (`BridgedError`).
  package var thrown: any Error {
    guard problems.count == 1, let error = problems[0].underlyingError, ThrownError.canBeCaughtAsNSError(error) else {
      return self
    }
    return error
  }

  /// One line per problem. Of more than ten the first ones, and how many there are; `problems` has them all.
  public var description: String { ProblemList.text(problems) }
}
