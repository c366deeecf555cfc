/// The header of a database file, its first 100 bytes (SQLite file format, section 1.3).
package struct DatabaseHeader {
  static let byteCount = 100
  /// The text at the beginning of every database file.
  package static let magic = Array("SQLite format 3\0".utf8)

  let geometry: PageGeometry
  /// Pages that the file has.
  let pageCount: UInt32
  let hasPointerMap: Bool
  let changeCounter: UInt32
  /// Whether the number of pages was written by the last change of the file.
  let isPageCountValid: Bool
  /// First page of the list of free pages, and how many they are.
  let firstTrunk: UInt32
  package let freeCount: UInt32
  /// Whether the file has no write-ahead log, and texts are UTF-8.
  package let isPlain: Bool
  /// Whether texts are UTF-8.
  let isUTF8: Bool

  /// Whether a file that begins so keeps what was committed last in a write-ahead log. Of the two versions that the
  /// header has, SQLite goes by the second one, that for reading. SQLite reads a log beside the file whatever the
  /// versions are.
  package static func isWriteAheadLogged(_ start: [UInt8]) -> Bool {
    start.count > 19 && start[19] == 2
  }

  /// The size of the file by its header, in bytes.
  package var statedByteCount: Int { Int(pageCount) * geometry.pageSize }

  /// - Parameters:
  ///   - bytes: the file's first bytes.
  ///   - fileSize: bytes of the file.
  /// - Throws: `PageError` of kind `unsuitable` when there is no header, or one that does not fit the file's size.
  init(_ bytes: UnsafeRawBufferPointer, fileSize: Int, path: String) throws(PageError) {
    unsafe try self.init(bytes, path: path)
    guard pageCount >= 1, statedByteCount == fileSize else { throw Self.misfit(path) }
  }

  /// The header whatever the file's size.
  /// - Throws: `PageError` of kind `unsuitable` when there is no header, or one with a size of pages that SQLite does
  ///   not have.
  package init(_ bytes: UnsafeRawBufferPointer, path: String) throws(PageError) {
    guard bytes.count >= Self.byteCount else {
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    func number(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let stated = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt16.self)))
    let pageSize = stated == 1 ? 65_536 : stated
    let reserved = unsafe Int(bytes[20])
    guard unsafe bytes.starts(with: Self.magic), pageSize >= 512, pageSize & (pageSize - 1) == 0,
      pageSize - reserved >= 480
    else { throw Self.misfit(path) }
    geometry = PageGeometry(pageSize: pageSize, reservedBytes: reserved)
    pageCount = number(28)
    hasPointerMap = number(52) != 0
    changeCounter = number(24)
    isPageCountValid = number(24) == number(92)
    firstTrunk = number(32)
    freeCount = number(36)
    isUTF8 = number(56) == 1
    isPlain = unsafe bytes[18] == 1 && bytes[19] == 1 && isUTF8
  }

  private static func misfit(_ path: String) -> PageError {
    PageError(kind: .unsuitable, message: "the header of \(path) does not fit its size")
  }

  /// - Throws: `PageError` of kind `unsuitable` when the file has a log or another encoding than UTF-8.
  func requirePlain(_ path: String) throws(PageError) {
    if !isPlain {
      throw PageError(kind: .unsuitable, message: "\(path) has a log, or another encoding than UTF-8")
    }
  }
}
