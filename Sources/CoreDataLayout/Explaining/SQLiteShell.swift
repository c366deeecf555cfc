import Foundation

/// The `sqlite3` shell, which is asked for what SQLite's library does not have.
enum SQLiteShell {
  /// The `CREATE INDEX` statements that `.expert` suggests for a statement.
  /// - Throws: `IndexAdviceError`.
  static func expert(_ statement: String, store path: String) throws -> [String] {
    let answer = try ask(["-batch", "-readonly", path, ".expert", statement])
    return answer.split(separator: "\n").filter { $0.hasPrefix("CREATE INDEX ") }.map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: "; "))
    }
  }

  /// Why there is no answer. The shell repeats the whole statement behind what it says of it.
  private static func reason(_ message: String) -> String {
    guard let mark = message.firstRange(of: "unable to process SQL: ") else { return message }
    return message[mark.upperBound...].contains(" FROM \"Z_RT_")
      ? "its .expert knows no R-tree index, and the statement asks one" : "its .expert cannot process the statement"
  }

  private static func ask(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    do { try process.run() } catch {
      throw IndexAdviceError.shell("it cannot be started: \(error.localizedDescription)")
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // env's own code for a program that is not there.
    if process.terminationStatus == 127 { throw IndexAdviceError.noShell }
    if process.terminationStatus != 0 || text.isEmpty {
      throw IndexAdviceError.shell(reason(message.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
    return text
  }
}
