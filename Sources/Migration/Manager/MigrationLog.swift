import Diagnostics
import Foundation
import ObjectModel

/// Logs the work of a migration by a mapping model, where migrations are debugged.
struct MigrationLog {
  private let write: ((String) -> Void)?

  init(_ settings: DebugSettings = .process, write: @escaping (String) -> Void = DebugLog.migration) {
    self.write = settings.migrationLevel > 0 ? write : nil
  }

  /// Does a part of an entity mapping, or of the whole migration, and logs what it did and how long it took.
  /// - Parameters:
  ///   - part: what it is.
  ///   - work: says what was done.
  func following(_ mapping: EntityMapping?, _ part: String, _ work: () throws -> String) rethrows {
    let start = ContinuousClock.now
    let done = try work()
    guard let write else { return }
    let seconds = String(format: "%.4f", (ContinuousClock.now - start) / .seconds(1))
    write("\(mapping.map { Self.text($0) + ": " } ?? "")\(part) \(done), \(seconds) s")
  }

  private static func text(_ mapping: EntityMapping) -> String {
    let entities = [mapping.sourceEntityName, mapping.destinationEntityName].map { $0 ?? "nothing" }
    return "mapping \(mapping.name) (\(entities.joined(separator: " to ")))"
  }
}
