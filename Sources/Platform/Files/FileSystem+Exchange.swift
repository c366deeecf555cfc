extension FileSystem {
  /// Has two files or folders of one file system change places, in one step.
  /// - Returns: false where the system cannot do it, or it failed: nothing has changed then.
  package static func exchange(_ first: String, _ second: String) -> Bool {
    #if canImport(Darwin)
      return unsafe renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
    #else
      // The headers show it only to programs that ask for all that is GNU's.
      guard let address = unsafe dlsym(nil, "renameat2") else { return false }
      typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      // Safety: that is how the function is declared.
      let rename = unsafe unsafeBitCast(address, to: Rename.self)
      return unsafe rename(AT_FDCWD, first, AT_FDCWD, second, exchangeFlag) == 0
    #endif
  }
}

/// `RENAME_EXCHANGE`, hidden likewise.
private let exchangeFlag: UInt32 = 2
