public import Pipelines

/// Puts texts that a command has made into files, all or none: a failure leaves the files that were there.
public enum TextResults {
  /// Writes each text beside its file and renames all of them into place. Folders are made where there are none; a file
  /// that a symbolic link leads to is replaced, and the link stays.
  /// - Throws: `RunError`: 73 where a file cannot be made, 74 when the disk is full or broken, 75 when another process
  ///   is writing the same.
  public static func write(_ files: [(path: String, text: String)]) throws(RunError) {
    let texts = try WaitingTexts(files)
    defer { texts.remove() }
    try texts.put()
  }
}
