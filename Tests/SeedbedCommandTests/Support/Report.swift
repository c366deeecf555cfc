import Foundation
import Testing

/// The report of `seedbed run --json`.
struct Report: Decodable {
  struct Counts: Decodable, Equatable {
    var read = 0
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var filtered = 0
    var duplicate = 0
    var rejected = 0
    var sum: Int { inserted + updated + unchanged + filtered + duplicate + rejected }
  }
  struct Store: Decodable {
    var path: String
    var uuid: String
    var bytes: Int
  }
  struct Stage: Decodable {
    var stage: String
    var workers: Int
    var busySeconds: Double
    var inputWaitSeconds: Double
    var outputWaitSeconds: Double
    var rows: Int
    var bytes: Int
    var allocations: Int?
  }
  struct Step: Decodable {
    var name: String
    var entity: String
    var source: String
    var strategy: String
    var reason: String
    var counts: Counts
    var nestedInserted: Int
    var nestedUpdated: Int
    var nestedDeleted: Int
    var durationSeconds: Double
    var readings: Int
    var stages: [Stage]
  }
  struct Export: Decodable {
    var entity: String
    var path: String
    var rows: Int
    var durationSeconds: Double
  }
  struct Reject: Decodable {
    var file: String
    var line: Int
    var column: Int
    var byteOffset: Int
    var entity: String
    var property: String
    var code: String
    var value: String
    var message: String
    var hint: String
  }
  var result: String
  var pipeline: String
  var store: Store
  var steps: [Step]
  var total: Counts
  var ownersUpdated: Int
  var exports: [Export]
  var stages: [Stage]
  var rejects: [Reject]
  var rejectFiles: [String]
  var warnings: [String]
  var durationSeconds: Double
  var peakMemoryBytes: Int
  var allocations: Int?
  /// The process's, which is not in the JSON.
  var exitCode: Int32?
}

extension Report {
  /// A report as JSON, which must be as the schema of its kind says.
  static func checked(
    _ bytes: [UInt8], kind: String = "report", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String: Any] {
    let schema = try await Tool.run(["schema", "--\(kind)"], in: Tool.packageRoot)
    #expect(schema.exitCode == 0, sourceLocation: sourceLocation)
    #expect(try JSONSchema(schema.output).problems(of: bytes) == [], sourceLocation: sourceLocation)
    return try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any], sourceLocation: sourceLocation)
  }
}

/// An error as `--log-format json` writes it.
struct LoggedError: Decodable {
  var level: String
  var code: String
  var message: String
  var hint: String?
}
