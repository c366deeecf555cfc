import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Platform
import StoreInterface

/// All stop times of a store walked as objects, a batch at a time, and the same by a bare loop.
struct StopTimeWalk {
  private let path: String
  private let container: PersistentContainer
  private let stopTime: Entity
  private let batchSize: Int
  /// What the process may take, in MiB.
  static let memoryLimit = 128

  /// What a walk took.
  struct Outcome {
    var rows: Int
    var seconds: Double
    var bareSeconds: Double
    /// The most memory that the process had so far.
    var peakMebibytes: Int
  }

  init(storePath: String, model: ManagedObjectModel, batchSize: Int) throws {
    path = storePath
    self.batchSize = batchSize
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: storePath, model: model, options: options)
    container = try PersistentContainer(name: "benchmark", model: model, store: store)
    guard let stopTime = model["StopTime"] else { throw TransitQueries.MissingEntity() }
    self.stopTime = stopTime
  }

  /// - Throws: `WrongAnswer` when the walk did not see what the bare loop saw.
  func run() throws -> Outcome {
    let (seconds, found) = try Pair.time(walk)
    let peak = PeakMemory.bytes >> 20
    let (bareSeconds, expected) = try Pair.time(bareLoop)
    if found != expected { throw WrongAnswer(name: "walk", expected: expected, found: found) }
    return Outcome(rows: found.rows, seconds: seconds, bareSeconds: bareSeconds, peakMebibytes: peak)
  }

  /// The sum of the keys, and as `bytes` that of a column.
  private func walk() throws -> Answer {
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      var request = FetchSpecification(stopTime)
      request.fetchBatchSize = batchSize
      var answer = Answer()
      let found = try context.fetchedObjects(request)
      for object in found {
        answer.rows += 1
        answer.keys += object.objectID.primaryKey ?? 0
        if case .integer(let seconds) = object["departureTime"] { answer.bytes += Int(seconds) }
      }
      if let error = found.error { throw error }
      return answer
    }
  }

  /// The same walk by a bare statement that reads only the columns that `walk` looks at.
  private func bareLoop() throws -> Answer {
    let statement = try BareStatement(path: path, sql: "SELECT Z_PK, ZDEPARTURETIME FROM ZSTOPTIME ORDER BY Z_PK")
    return statement.sums()
  }
}
