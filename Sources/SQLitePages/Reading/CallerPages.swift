/// A database file whose bytes a caller reads. The caller makes sure that nothing changes them meanwhile.
@safe public final class CallerPages: PageFileReading {
  let header: DatabaseHeader
  let path: String
  private let readBytes: (_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool

  /// - Parameters:
  ///   - path: for messages.
  ///   - fileSize: bytes of the file.
  ///   - read: fills all of the memory with the file's bytes from an offset on, or returns false.
  /// - Throws: `PageError` of kind `unsuitable` when the file has no header that fits its size, or another encoding
  ///   than UTF-8.
  public init(
    path: String, fileSize: Int, read: @escaping (_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool
  ) throws(PageError) {
    var bytes = [UInt8](repeating: 0, count: DatabaseHeader.byteCount)
    let result: Result<DatabaseHeader, PageError> = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard fileSize >= bytes.count, unsafe read(bytes, 0) else {
        return .failure(PageError(kind: .unsuitable, message: "\(path) has no database header"))
      }
      return Result { () throws(PageError) in
        try unsafe DatabaseHeader(UnsafeRawBufferPointer(bytes), fileSize: fileSize, path: path)
      }
    }
    header = try result.get()
    guard header.isUTF8 else { throw PageError(kind: .unsuitable, message: "\(path) has another encoding than UTF-8") }
    self.path = path
    unsafe readBytes = read
  }

  var geometry: PageGeometry { header.geometry }
  var readablePageCount: UInt32 { header.pageCount }

  @unsafe func read(_ page: UInt32, count: Int, into bytes: UnsafeMutableRawPointer) throws(PageError) {
    try require(page, count: count)
    // Safety: callers give memory for `count` pages.
    let memory = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count * geometry.pageSize)
    guard unsafe readBytes(memory, Int(page - 1) * geometry.pageSize) else {
      throw PageError(kind: .inputOutput, message: "cannot read page \(page) of \(path)")
    }
  }
}
