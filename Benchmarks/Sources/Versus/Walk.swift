import Foundation

/// All items of a large store walked as objects, some at a time, against the bare loop over the same columns.
struct Walk {
  static let count = 3_000_000
  static let batchSize = 1_024
  static let limit = 4.0
  /// What the process may take while it walks, in MiB.
  static let memoryLimit = 64

  /// - Returns: a race, run, and the most memory that the process had while the engine walked, in MiB; nil where the
  ///   system does not tell.
  static func run(rounds: Int, isAlone: Bool) throws -> (race: Race, peakMebibytes: Int?) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/Items.sqlite"
    try EngineSide.makeStore(path, count: count)
    var peak: Int?
    var race = Race(
      "walk 3,000,000 objects, 1,024 at a time",
      [
        Side(name: "Seedbed") { _ in
          (
            {
              resetPeak()
              let answer = try EngineSide.walk(path, batchSize: batchSize)
              if let now = peakKibibytes() { peak = max(peak ?? 0, now >> 10) }
              return answer
            }, { Answer() }
          )
        },
        Side(name: "the bare loop in C", limit: limit) { _ in
          ({ try Yardstick.walk(path, "SELECT Z_PK, ZQUANTITY FROM ZITEM ORDER BY Z_PK") }, { Answer() })
        },
      ])
    if isAlone { race.sides.removeLast() }
    try race.run(rounds: rounds)
    return (race, peak)
  }

  /// Has Linux begin anew with the greatest size that it remembers of the process.
  private static func resetPeak() {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    file.write(Data("5".utf8))
    try? file.close()
  }

  private static func peakKibibytes() -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
      return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }
    return nil
  }
}
