import Foundation
import Platform

/// The file that is checked, open for reading.
@safe final class CheckedFile: Sendable {
  let geometry: PageGeometry
  let pageCount: UInt32
  let hasPointerMap: Bool
  private let path: String
  private let descriptor: Int32
  private let firstTrunk: UInt32
  private let freeCount: UInt32
  /// Contents of the pointer-map pages, by page.
  private let maps: [UInt32: [UInt8]]

  init(path: String) throws(PageError) {
    self.path = path
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw PageError(kind: .inputOutput, message: "cannot open \(path)") }
    self.descriptor = descriptor
    var header = [UInt8](repeating: 0, count: 100)
    let count = unsafe header.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, 100, 0) }
    var status = stat()
    guard count == 100, unsafe fstat(descriptor, &status) == 0 else {
      close(descriptor)
      if count < 0 { throw PageError(kind: .inputOutput, message: "cannot read \(path)") }
      throw PageError(kind: .unsuitable, message: "\(path) has no database header")
    }
    func number(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 << 8 | UInt32(header[offset + $1]) } }
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65_536 : stated
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, pageSize - Int(header[20]) >= 480, number(28) >= 1,
      Int(number(28)) * pageSize == Int(status.st_size)
    else {
      close(descriptor)
      throw PageError(kind: .unsuitable, message: "the header of \(path) does not fit its size")
    }
    geometry = PageGeometry(pageSize: pageSize, reservedBytes: Int(header[20]))
    pageCount = number(28)
    hasPointerMap = number(52) != 0
    firstTrunk = number(32)
    freeCount = number(36)
    var maps: [UInt32: [UInt8]] = [:]
    if hasPointerMap {
      var page: UInt32 = 2
      while page <= pageCount {
        let map = geometry.pointerMapPage(for: page)
        var bytes = [UInt8](repeating: 0, count: pageSize)
        let read = unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(descriptor, $0.baseAddress, pageSize, off_t(map - 1) * off_t(pageSize))
        }
        guard read == pageSize else {
          close(descriptor)
          throw PageError(kind: .inputOutput, message: "cannot read page \(map) of \(path)")
        }
        maps[map] = bytes
        page = geometry.lastPage(besides: page) + 1
      }
    }
    self.maps = maps
  }

  deinit { close(descriptor) }

  /// Reads pages that follow one another.
  @unsafe func read(_ page: UInt32, count: Int = 1, into bytes: UnsafeMutableRawPointer) throws(PageError) {
    guard page >= 1, Int(page) + count - 1 <= Int(pageCount) else {
      throw PageError(kind: .malformed, message: "a tree names page \(page) of \(pageCount)")
    }
    let size = count * geometry.pageSize
    guard unsafe pread(descriptor, bytes, size, off_t(page - 1) * off_t(geometry.pageSize)) == size else {
      throw PageError(kind: .inputOutput, message: "cannot read page \(page) of \(path)")
    }
  }

  /// Whether the pointer map says this of a page; true when the file has none.
  func pointer(of page: UInt32, is kind: UInt8, parent: UInt32) -> Bool {
    guard hasPointerMap, page > 1 else { return true }
    let map = geometry.pointerMapPage(for: page)
    guard let bytes = maps[map], page > map else { return false }
    let offset = Int(page - map - 1) * 5
    let stored = (1...4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[offset + $1]) }
    return bytes[offset] == kind && stored == parent
  }

  /// The pages of the list of free pages.
  func freePages(_ problems: inout [String]) throws(PageError) -> [UInt32] {
    var pages: [UInt32] = []
    var trunk = firstTrunk
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while trunk != 0, pages.count <= Int(freeCount) {
      unsafe try read(trunk, into: bytes)
      pages.append(trunk)
      let count = Int(UInt32(bigEndian: unsafe bytes.load(fromByteOffset: 4, as: UInt32.self)))
      guard count <= geometry.usableSize / 4 - 2 else {
        problems.append("the list of free pages is damaged at page \(trunk)")
        break
      }
      for index in 0..<count {
        let page = UInt32(bigEndian: unsafe bytes.load(fromByteOffset: 8 + index * 4, as: UInt32.self))
        guard page >= 2, page <= pageCount else {
          problems.append("the list of free pages names page \(page)")
          continue
        }
        pages.append(page)
      }
      trunk = UInt32(bigEndian: unsafe bytes.load(as: UInt32.self))
    }
    if pages.count != Int(freeCount) { problems.append("\(pages.count) pages are free, the header says \(freeCount)") }
    for page in pages where !pointer(of: page, is: 2, parent: 0) {
      problems.append("the pointer map does not say that page \(page) is free")
    }
    return pages
  }
}
