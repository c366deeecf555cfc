import Foundation
import ImportEngine
import Pipelines

/// The identity of this run of the tool, in log lines and reports.
enum RunIdentity {
  /// A UUID, new for every process.
  static let text = UUID().uuidString

  /// The time as log lines and reports have it: ISO 8601, in UTC.
  static func time() -> String { DateText.iso8601(Date()) }
}
