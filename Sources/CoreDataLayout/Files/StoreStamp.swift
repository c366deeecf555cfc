import Platform

/// Size, time and identity of a store's file and logs, by which it is noticed that another program wrote to it.
public struct StoreStamp: Sendable, Hashable {
  private var files: [FileSystem.Stamp?]

  /// Bytes of the files together.
  public var byteCount: Int {
    files.reduce(0) { sum, file in sum.addingReportingOverflow(Int(clamping: file?.size ?? 0)).partialValue }
  }

  /// Looks at a store; files that are not there count as such.
  /// - Throws: `StoreError.inputOutput` when a file cannot be looked at.
  public static func read(path: String) throws -> StoreStamp {
    StoreStamp(files: try Sidecar.files(of: ResultPath.followed(path), Sidecar.withRows).map(StoreFiles.stamp))
  }

  /// Whether the main file and the journal are the same.
  func differsOnlyInLog(from other: StoreStamp) -> Bool { files[0] == other.files[0] && files[2] == other.files[2] }
}
