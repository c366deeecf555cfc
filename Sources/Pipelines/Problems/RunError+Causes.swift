import Foundation
import ObjectModel
import Platform
import Predicates
package import SeedFormats
package import StoreInterface

extension RunError {
  /// Any error that a run can meet, in a run's terms.
  public init(any error: any Error, store path: String) {
    switch error {
    case let error as RunError: self = error
    case let error as SeedFormatError: self.init(error)
    case let error as PipelineError:
      let single = error.problems.count == 1 ? error.problems.first : nil
      self.init(
        Kind(error.kind), code: "pipeline", single?.messageInPlace ?? error.description, hint: single?.hint)
      problems = error.problems
      position = error.problems.first.map { Position($0) }
    case let error as ModelError:
      let isSystemFailure = error.problems.contains { $0.code == .inputOutput }
      let problems = error.problems.map { problem in
        var problem = problem
        problem.file = problem.file.map(FilePath.shown)
        return problem
      }
      // Each of several has its hint behind it.
      let single = problems.count == 1 ? problems.first : nil
      self.init(
        isSystemFailure ? .inputOutput : .badPipeline, code: "model",
        single?.messageInPlace ?? problems.map(\.description).joined(separator: "\n"), hint: single?.hint)
    case let error as StoreError: self.init(error, path: path)
    case let error as ValidationError: self.init(.badData, code: "store.validation", error.description)
    case let error as UndecidedMatchError: self.init(undecidedMatch: error.description)
    case let error as any RunFailure: self = error.runError(store: path)
    case let error as SystemError:
      let isOfPath = !error.isOfSystem && ![ENOSPC, EDQUOT].contains(error.number)
      self.init(isOfPath ? .cannotCreate : .inputOutput, code: "file.failed", "\(error.path): \(error.message)")
    case let error as CocoaError: self.init(file: error as NSError)
    default:
      // A failed system call on a file may give an error of POSIX's domain. Every error can be cast to `NSError`, so
      // the domain decides.
      let system = error as NSError
      if [NSPOSIXErrorDomain, NSCocoaErrorDomain].contains(system.domain) {
        self.init(file: system)
      } else {
        self.init(.internal, code: "internal", "\(error)")
      }
    }
    self = namingFullDisk()
  }

  /// A failed operation on a file, with the system's words for it where there are any.
  private init(file error: NSError) {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    let number = [error, cause].compactMap { $0 }.first { $0.domain == NSPOSIXErrorDomain }.map { Int32($0.code) }
    let reason = number.map { SystemError.reason($0) } ?? error.localizedDescription
    let path = (error.userInfo[NSFilePathErrorKey] as? String).map { "\($0): " } ?? ""
    let isFull =
      number == ENOSPC
      || error.domain == NSCocoaErrorDomain && error.code == CocoaError.fileWriteOutOfSpace.rawValue
    self.init(.inputOutput, code: isFull ? "disk.full" : "file.failed", path + reason)
  }

  private init(undecidedMatch message: String) {
    self.init(
      .badData, code: "predicate.undecided", message,
      hint: "write the expression without nested repetitions, such as (a+)+, and sets of characters as [ax], not (a|x)")
  }

  package init(_ error: SeedFormatError) {
    let kind: Kind
    switch error.kind {
    case .missing, .unreadable: kind = .missingInput
    case .damaged, .io: kind = .inputOutput
    case .cannotCreate: kind = .cannotCreate
    case .malformed: kind = .badData
    }
    self.init(kind, code: error.code, error.positionedMessage, hint: error.hint)
    position = Position(error)
  }

  package init(_ error: StoreError, path: String) {
    switch error {
    case .optimisticLockingFailure(let conflicts):
      self.init(
        .internal, code: "store.conflict", "\(conflicts.count) objects of \(path) changed while they were imported")
    case .constraintConflict(let entity, let constraint, let message):
      self.init(
        .badData, code: "store.constraint",
        "several \(entity) have the same \(constraint.joined(separator: ", ")) (\(message))",
        hint: "match by the constraint")
    case .incompatibleModel(let differing, let missing, let extra):
      self.init(
        .badPipeline, code: "store.incompatible-model",
        "\(path) was made with another model: "
          + StoreError.text(ofDiffering: differing, missing: missing, extra: extra),
        hint:
          "use the model version the store was made with, or bring it to this one: migrate: true under store in the pipeline, "
          + "or seedbed migrate \(FilePath.argument(path)) --model MODEL; seedbed check with the same says what differs"
      )
    case .notAStore(let path, StoreError.isFolder):
      let nature = UnexpectedFileText(path)
      self.init(
        .missingInput, code: "store.is-folder", "\(path) is \(nature?.name ?? "a folder")",
        hint: "name the store's file")
    case .notAStore(let path, let message):
      if let nature = UnexpectedFileText(path), nature.name != UnexpectedFileText.database {
        self.init(
          .badData, code: "store.not-a-store", "\(path) is \(nature.name), not a Core Data store",
          hint: "name the store's file, such as build/NAME.sqlite")
      } else {
        self.init(.badData, code: "store.not-a-store", "\(path) is not a Core Data store: \(message)")
      }
    case .damagedValue(let path, let message):
      self.init(
        .badData, code: "store.damaged-value", "\(path): \(message)",
        hint: (error.isOfStoredForm
          ? "write the value anew with SQLite's own tools" : "put the file back, or leave the attribute out")
          + "; \"seedbed check\" names all such values")
    case .refusedRow(let path, let message):
      self.init(
        .badData, code: "store.refused-row", "\(path) refuses a row that the model allows: \(message)",
        hint: "write values that the file takes; \"seedbed check\" names the constraints that the model does not have")
    case .busy(let path):
      self.init(
        .locked, code: "store.busy", "\(path) is locked by another process",
        hint: "close the app or simulator that has it open, or wait for the run that makes it, and try again")
    case .missing(let path) where UnexpectedFileText.isURL(path):
      self.init(
        .missingInput, code: "store.missing", "\(path) is a URL, not a path",
        hint: UnexpectedFileText.hint(forURL: path))
    case .missing(let path):
      self.init(
        .missingInput, code: "store.missing", "\(path): there is no such file",
        hint: UnexpectedFileText.hint(forMissing: path))
    case .cannotCreate(let path, let message):
      self.init(.cannotCreate, code: "store.cannot-create", "\(path): \(message)")
    case .inputOutput(let path, StoreError.isUnreadable, _):
      self.init(
        .missingInput, code: "store.unreadable", "\(path): this user may not read it", hint: "see who owns it: ls -l")
    case .inputOutput(let path, let message, let code):
      // SQLite's code for what may not be written, with more in its upper bytes.
      let isReadOnly = code.map { $0 & 0xFF == 8 } ?? false
      self.init(
        .inputOutput, code: "store.input-output", "\(path): \(message)",
        hint: isReadOnly
          ? "the store and the folder that it lies in must be writable, as a journal is written beside it; or work on a copy elsewhere (seedbed copy)"
          : nil)
    case .unsupported(let message):
      self.init(
        .badPipeline, code: "store.unsupported", message,
        hint: message.hasSuffix(StoreError.keepsNoHistory)
          ? "a new store keeps one where history: true stands under store in its pipeline; a store that is there gets one from an "
            + "app that opens it with NSPersistentHistoryTrackingKey"
          : nil)
    case .historyTokenExpired:
      self.init(.badData, code: "store.history-expired", error.errorDescription ?? "", hint: error.recoverySuggestion)
    // SQLite's words for a sum of integers that no integer holds. Derived attributes alone make such sums.
    case .failure(let message) where message.contains(": integer overflow (SQLite "):
      self.init(
        .badData, code: "store.sum-overflow", "\(path): the sum of a derived attribute is no integer of 64 bits",
        hint: "look for numbers that are far too great, or give the attribute that is summed the type Double")
    case .failure(let message) where message.hasPrefix(UndecidedMatchError.beginning):
      self.init(undecidedMatch: message)
    case .failure(let message): self.init(.internal, code: "store.failure", message)
    }
  }
}

extension SeedFormatError {
  /// `file:line:column: message`, as far as the position is known; `file:byte 40: message` in a compressed file.
  var positionedMessage: String {
    var place = file ?? ""
    if let line {
      place += ":\(line)" + (column.map { ":\($0)" } ?? "")
    } else if let byteOffset {
      place += "\(place.isEmpty ? "" : ":")byte \(byteOffset)"
    }
    return (place.isEmpty ? "" : place + ": ") + message
  }
}

extension RunError.Kind {
  init(_ kind: PipelineProblem.Kind) {
    switch kind {
    case .configuration: self = .badPipeline
    case .missing: self = .missingInput
    case .inputOutput: self = .inputOutput
    case .badData: self = .badData
    case .locked: self = .locked
    }
  }
}

extension PipelineProblem {
  /// The problem, in a check of the pipeline, for an error that a run would end with.
  /// - Parameter position: where it is, unless the error says so itself.
  package init(_ error: RunError, file: String, position: FilePosition?) {
    self.init(
      kind: Kind(error.kind), code: error.code, message: error.place?.message ?? error.message, hint: error.hint,
      file: file, position: error.place?.position ?? position)
  }
}

extension PipelineProblem.Kind {
  init(_ kind: RunError.Kind) {
    switch kind {
    case .missingInput: self = .missing
    case .inputOutput: self = .inputOutput
    case .badData: self = .badData
    case .locked: self = .locked
    case .badPipeline, .cannotCreate, .internal, .interrupted: self = .configuration
    }
  }
}
