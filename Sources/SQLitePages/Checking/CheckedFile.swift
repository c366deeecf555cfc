/// The file that is checked, open for reading.
final class CheckedFile: Sendable {
  let file: PageFile
  /// Contents of the pointer-map pages, by page.
  private let maps: [UInt32: [UInt8]]

  var geometry: PageGeometry { file.geometry }
  var pageCount: UInt32 { file.header.pageCount }
  var hasPointerMap: Bool { file.header.hasPointerMap }

  init(path: String) throws(PageError) {
    file = try PageFile(path: path)
    let geometry = file.geometry
    var maps: [UInt32: [UInt8]] = [:]
    if file.header.hasPointerMap {
      let buffer = PageBuffer(file)
      var page: UInt32 = 2
      while page <= file.header.pageCount {
        let map = geometry.pointerMapPage(for: page)
        maps[map] = unsafe Array(UnsafeRawBufferPointer(start: try buffer.page(map), count: geometry.pageSize))
        page = geometry.lastPage(besides: page) + 1
      }
    }
    self.maps = maps
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
    let freeCount = file.header.freeCount
    var trunk = file.header.firstTrunk
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    while trunk != 0, pages.count <= Int(freeCount) {
      unsafe try file.read(trunk, into: bytes)
      pages.append(trunk)
      // Safety: a page has 512 bytes at least; the numbers that follow are read once their count is known to fit.
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
