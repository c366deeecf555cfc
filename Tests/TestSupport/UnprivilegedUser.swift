public import Foundation

/// Another user than the superuser, to whom nothing is refused: for tests of what may not be written, whoever runs
/// them.
public enum UnprivilegedUser {
  /// The user that has no files, by its number.
  private static let number: UInt32 = 65_534

  /// Whether the tests' own process is another user already.
  public static var isCurrent: Bool { geteuid() != 0 }

  /// What a program is run with as another user: before its path. Empty where the tests are another user; nil where
  /// there is no such tool, or the program may not be run by others.
  public static func command(running program: String) -> [String]? {
    if isCurrent { return [] }
    let tool = ["/usr/bin/setpriv", "/bin/setpriv"].first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let tool else { return nil }
    let prefix = [tool, "--reuid=\(number)", "--regid=\(number)", "--clear-groups"]
    let trial = Process()
    trial.executableURL = URL(fileURLWithPath: tool)
    trial.arguments = prefix.dropFirst() + ["test", "-x", program]
    trial.standardError = FileHandle.nullDevice
    guard (try? trial.run()) != nil else { return nil }
    trial.waitUntilExit()
    return trial.terminationStatus == 0 ? prefix : nil
  }

  /// Gives a folder and all that is in it to the other user.
  public static func own(_ folder: URL) throws {
    if isCurrent { return }
    let paths = [folder.path] + (FileManager.default.subpaths(atPath: folder.path) ?? []).map { folder.path + "/" + $0 }
    for path in paths {
      try FileManager.default.setAttributes(
        [.ownerAccountID: NSNumber(value: number), .groupOwnerAccountID: NSNumber(value: number)], ofItemAtPath: path)
    }
  }

  /// Whether this process can ask for files as the other user.
  public static var canPerform: Bool { isCurrent || changesFileUser(to: 0) }

  /// Does what touches files on this thread alone, as the other user.
  /// - Precondition: `canPerform`.
  public static func perform<Result>(_ work: () throws -> Result) rethrows -> Result {
    if isCurrent { return try work() }
    _ = changesFileUser(to: number)
    defer { _ = changesFileUser(to: 0) }
    return try work()
  }

  /// Linux checks the rights to files by a number that each thread has of its own, and takes the superuser's rights
  /// with it.
  private static func changesFileUser(to number: UInt32) -> Bool {
    #if os(Linux)
      guard let address = unsafe dlsym(nil, "setfsuid") else { return false }
      let change = unsafe unsafeBitCast(address, to: (@convention(c) (UInt32) -> Int32).self)
      _ = change(number)
      // It never says whether it did anything, but what the number is.
      return change(.max) == Int32(bitPattern: number)
    #else
      return false
    #endif
  }
}
