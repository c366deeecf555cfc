/// A call of the system that failed.
package struct SystemError: Error, Hashable, Sendable {
  /// The system's number of the error.
  package let number: Int32
  /// The failed action, such as "open the file".
  package let operation: String
  /// The file that it was to be done with.
  package let path: String

  /// - Parameter number: by default the error of the last call.
  package init(_ operation: String, _ path: String, number: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  /// The operation of making a file.
  package static let creation = "create the file"

  /// Whether a file could not be made for a reason that lies in its path: a folder that is not there, say, or may not
  /// be written to. A full disk is no such reason.
  package var isCreationAtPath: Bool { operation == Self.creation && !isOfSystem && number != ENOSPC }

  /// The system's words for the error.
  package var reason: String { SystemError.reason(number) }
  /// What failed and why, without the path.
  package var message: String { "cannot \(operation): \(reason)" }
  /// Whether the system itself failed (input and output, open files, memory), and not because of the path.
  package var isOfSystem: Bool { [EIO, EMFILE, ENFILE, ENOMEM].contains(number) }

  /// The system's words for the number of an error.
  package static func reason(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
