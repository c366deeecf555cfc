import Foundation
import Platform
import SQLite
import Testing

/// The line that a migration draws on a terminal.
@Suite("Progress of seedbed migrate on a terminal")
struct MigrateProgressTests {
  /// Both ends of a terminal that nothing shows.
  private struct PseudoTerminal {
    let primary: Int32
    let secondary: Int32
    let path: String

    init() throws {
      var ends: (primary: Int32, secondary: Int32) = (-1, -1)
      var name = [CChar](repeating: 0, count: 1_024)
      // Its other end stays open here, so that a read before the other program opens it waits.
      try #require(unsafe openpty(&ends.primary, &ends.secondary, &name, nil, nil) == 0)
      (primary, secondary) = ends
      path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads until a text is there, or for ten minutes.
    func text(until wanted: String) -> String {
      var found = ""
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while !found.contains(wanted) {
        var descriptor = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&descriptor, 1, 600_000) == 1 else { break }
        let count = unsafe read(primary, &buffer, buffer.count)
        guard count > 0 else { break }
        found += String(decoding: buffer[..<count], as: UTF8.self)
      }
      return found
    }

    func end() {
      _ = close(primary)
      _ = close(secondary)
    }
  }

  @Test("it says how long the migration has waited for another program")
  func line() async throws {
    let workspace = try DepotStore.workspace()
    let second = DepotStore.xml.replacingOccurrences(
      of: "<attribute name=\"text\" attributeType=\"String\"/>",
      with:
        "<attribute name=\"text\" attributeType=\"String\"/><attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
    for (name, xml) in [("Depot", DepotStore.xml), ("Depot 2", second)] {
      try workspace.write("Depot.xcdatamodeld/\(name).xcdatamodel/contents", xml)
    }
    let terminal = try PseudoTerminal()
    defer { terminal.end() }
    try workspace.write("output", "")
    let (folder, store, output) = (workspace.folder.path, workspace.path(DepotStore.store), workspace.path("output"))
    // On a thread of its own, so that a busy machine does not have the migration wait for longer than it is willing to.
    let (process, text) = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            // What another program holds is waited for.
            let other = try Connection(path: store)
            try other.begin(.immediate)
            let process = try ChildProcess(
              path: Tool.path,
              arguments: ["migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--to", "Depot 2"],
              environment: ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }, folder: folder,
              files: ["/dev/null", output, terminal.path])
            let text = terminal.text(until: "migrating · 0:0")
            try other.rollback()
            try other.close()
            return (process, text)
          })
      }
    }
    #expect(await process.exitCode() == 0)
    #expect(text.contains("\r\u{1B}[2Kmigrating · 0:0"), "\(text)")
    #expect(try workspace.text("output").contains("Depot.sqlite is of version Depot 2 now."))
  }
}
