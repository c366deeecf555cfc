extension DatabaseFile {
  /// - Parameter scratch: `pageSize` bytes.
  /// - Throws: `PageError` when the page is not an empty leaf of this kind.
  @unsafe func requireEmpty(
    _ page: UInt32, _ kind: PageKind, _ scratch: UnsafeMutableRawPointer
  ) throws(PageError) {
    unsafe try read(page, into: scratch)
    let bytes = unsafe UnsafeRawBufferPointer(start: scratch, count: 8)
    guard page > 1, unsafe bytes[0] == kind.rawValue, unsafe bytes[3] == 0, unsafe bytes[4] == 0 else {
      throw PageError(kind: .unsuitable, message: "page \(page) is not the root of an empty b-tree")
    }
  }
}
