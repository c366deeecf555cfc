import Platform

/// A database file that is only read, through its descriptor. Several threads may read at once.
@safe final class PageFile: PageFileReading, Sendable {
  let header: DatabaseHeader
  let path: String
  private let descriptor: Int32

  /// - Throws: `PageError` of kind `unsuitable` when the file has no header that fits its size.
  init(path: String) throws(PageError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw PageError(SystemError("open", path)) }
    self.path = path
    self.descriptor = descriptor
    do throws(PageError) {
      header = try DatabaseHeader(ofFile: descriptor, path: path)
    } catch {
      FileDescriptor.close(descriptor)
      throw error
    }
  }

  deinit { FileDescriptor.close(descriptor) }

  var geometry: PageGeometry { header.geometry }
  var readablePageCount: UInt32 { header.pageCount }

  @unsafe func read(_ page: UInt32, count: Int = 1, into bytes: UnsafeMutableRawPointer) throws(PageError) {
    try require(page, count: count)
    // Safety: callers give memory for `count` pages.
    let size = count * geometry.pageSize
    let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size)
    do throws(SystemError) {
      let count = try unsafe FileDescriptor.read(
        descriptor, into: room, at: Int(page - 1) * geometry.pageSize, of: path)
      if count < size { throw SystemError("read page \(page)", path, number: EIO) }
    } catch {
      throw PageError(error)
    }
  }
}

extension DatabaseHeader {
  /// Reads the header of an open file.
  init(ofFile descriptor: Int32, path: String) throws(PageError) {
    var bytes = [UInt8](repeating: 0, count: DatabaseHeader.byteCount)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    var status = stat()
    guard count >= 0, unsafe fstat(descriptor, &status) == 0 else { throw PageError(SystemError("read", path)) }
    let size = Int(status.st_size)
    let result: Result<DatabaseHeader, PageError> = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(PageError) in
        try unsafe DatabaseHeader(UnsafeRawBufferPointer(rebasing: bytes[..<count]), fileSize: size, path: path)
      }
    }
    self = try result.get()
  }
}

extension PageError {
  /// A call of the system that failed.
  init(_ error: SystemError) {
    self.init(kind: .inputOutput, message: "cannot \(error.operation) \(error.path): \(error.reason)")
  }
}
