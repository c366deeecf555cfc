import Foundation
import Platform

/// Reads the rows of a table's b-tree in the order of their ids, straight from the file's pages.
///
/// No connection may write meanwhile, and the file must have no log. Damaged pages give errors, never wild reads.
@safe public final class TableTreeReader: @unchecked Sendable {
  /// Pages of the table that hold rows, in order.
  public let leaves: [UInt32]
  private let descriptor: Int32
  private let geometry: PageGeometry
  private let path: String

  /// Finds the leaves of a table.
  /// - Parameter root: as `sqlite_schema` names it.
  public init(path: String, geometry: PageGeometry, root: UInt32) throws(PageError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw PageError(kind: .inputOutput, message: "cannot open \(path): \(unsafe String(cString: strerror(errno)))")
    }
    self.path = path
    self.descriptor = descriptor
    self.geometry = geometry
    var leaves: [UInt32] = []
    do {
      try TableTreeReader.collect(root, depth: 0, descriptor, geometry, path, into: &leaves)
    } catch {
      close(descriptor)
      throw error
    }
    self.leaves = leaves
  }

  deinit { close(descriptor) }

  /// Adds the leaves below a page. All children of an interior page are of one kind, because the tree is balanced: only the
  /// first one is looked at. Whoever reads a leaf finds out whether it is one.
  private static func collect(
    _ page: UInt32, depth: Int, _ descriptor: Int32, _ geometry: PageGeometry, _ path: String,
    into leaves: inout [UInt32]
  ) throws(PageError) {
    guard let children = try children(of: page, descriptor, geometry, path) else {
      leaves.append(page)
      return
    }
    guard depth < 20 else { throw malformed(path, page) }
    guard try self.children(of: children[0], descriptor, geometry, path) != nil else {
      leaves += children
      return
    }
    for child in children { try collect(child, depth: depth + 1, descriptor, geometry, path, into: &leaves) }
  }

  /// - Returns: the pages below an interior page, one at least; nil for a leaf.
  private static func children(
    of page: UInt32, _ descriptor: Int32, _ geometry: PageGeometry, _ path: String
  ) throws(PageError) -> [UInt32]? {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    unsafe try read(descriptor, geometry, path, page, count: 1, into: bytes)
    let header = page == 1 ? 100 : 0
    let kind = unsafe bytes.load(fromByteOffset: header, as: UInt8.self)
    if kind == PageBuilder.Kind.leafTable.rawValue { return nil }
    guard kind == PageBuilder.Kind.interiorTable.rawValue else { throw malformed(path, page) }
    let count = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 3, as: UInt16.self)))
    guard header + 12 + count * 2 <= geometry.usableSize else { throw malformed(path, page) }
    var children: [UInt32] = []
    children.reserveCapacity(count + 1)
    for index in 0..<count {
      let cell = Int(
        UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 12 + index * 2, as: UInt16.self)))
      guard cell + 4 <= geometry.usableSize else { throw malformed(path, page) }
      children.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: cell, as: UInt32.self)))
    }
    children.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 8, as: UInt32.self)))
    return children
  }

  private static func malformed(_ path: String, _ page: UInt32) -> PageError {
    PageError(kind: .malformed, message: "page \(page) of \(path) is not the table's")
  }

  @unsafe private static func read(
    _ descriptor: Int32, _ geometry: PageGeometry, _ path: String, _ page: UInt32, count: Int,
    into bytes: UnsafeMutableRawPointer
  ) throws(PageError) {
    let size = count * geometry.pageSize
    guard page >= 1, unsafe pread(descriptor, bytes, size, off_t(page - 1) * off_t(geometry.pageSize)) == size else {
      throw PageError(kind: .inputOutput, message: "cannot read page \(page) of \(path)")
    }
  }

  /// Hands out the rows of some leaves. Several threads may read different leaves at once.
  /// - Parameters:
  ///   - range: positions in `leaves`.
  ///   - body: gets the row id and the record, which is only valid during the call.
  @unsafe public func rows(
    inLeaves range: Range<Int>, _ body: (Int64, UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let capacity = max(1, (1 << 18) / geometry.pageSize)
    let window = UnsafeMutableRawPointer.allocate(byteCount: capacity * geometry.pageSize, alignment: 16)
    defer { unsafe window.deallocate() }
    var overflow: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      // Leaves that follow each other in the file are read together.
      var count = 1
      while count < capacity, index + count < range.upperBound, leaves[index + count] == leaves[index] + UInt32(count) {
        count += 1
      }
      unsafe try TableTreeReader.read(descriptor, geometry, path, leaves[index], count: count, into: window)
      for offset in 0..<count {
        unsafe try rows(of: leaves[index + offset], window + offset * geometry.pageSize, &overflow, body)
      }
      index += count
    }
  }

  @inline(__always)
  @unsafe private func rows(
    of page: UInt32, _ bytes: UnsafeRawPointer, _ overflow: inout [UInt8],
    _ body: (Int64, UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let header = page == 1 ? 100 : 0
    let cellCount = Int(UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 3, as: UInt16.self)))
    guard unsafe bytes.load(fromByteOffset: header, as: UInt8.self) == PageBuilder.Kind.leafTable.rawValue,
      header + 8 + cellCount * 2 <= geometry.usableSize
    else { throw TableTreeReader.malformed(path, page) }
    for index in 0..<cellCount {
      var cell = Int(
        UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: header + 8 + index * 2, as: UInt16.self)))
      let (size, sizeCount) = unsafe Varint.read(bytes + cell, limit: geometry.usableSize - cell)
      cell += sizeCount
      let (key, keyCount) = unsafe Varint.read(bytes + cell, limit: geometry.usableSize - cell)
      cell += keyCount
      guard sizeCount > 0, keyCount > 0, size <= UInt64(Int32.max) else { throw TableTreeReader.malformed(path, page) }
      let local = geometry.localSize(Int(size), maximum: geometry.maximumTableLocal)
      let isWhole = local == Int(size)
      guard cell + local + (isWhole ? 0 : 4) <= geometry.usableSize else { throw TableTreeReader.malformed(path, page) }
      if isWhole {
        unsafe try body(Int64(bitPattern: key), UnsafeRawBufferPointer(start: bytes + cell, count: local))
      } else {
        unsafe try assemble(bytes + cell, local: local, count: Int(size), page, into: &overflow)
        let record = overflow
        try unsafe withPointer(record) { (record) throws(PageError) in unsafe try body(Int64(bitPattern: key), record) }
      }
    }
  }

  /// `Array.withUnsafeBytes` with typed errors.
  @unsafe private func withPointer(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let result: Result<Void, PageError> = unsafe bytes.withUnsafeBytes { bytes in
      do throws(PageError) {
        unsafe try body(bytes)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Puts a payload together from its cell and its overflow pages.
  @unsafe private func assemble(
    _ bytes: UnsafeRawPointer, local: Int, count: Int, _ page: UInt32, into payload: inout [UInt8]
  ) throws(PageError) {
    payload.removeAll(keepingCapacity: true)
    unsafe payload += UnsafeRawBufferPointer(start: bytes, count: local)
    var next = UInt32(bigEndian: unsafe (bytes + local).loadUnaligned(as: UInt32.self))
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe scratch.deallocate() }
    while payload.count < count {
      guard next != 0 else { throw TableTreeReader.malformed(path, page) }
      unsafe try TableTreeReader.read(descriptor, geometry, path, next, count: 1, into: scratch)
      next = UInt32(bigEndian: unsafe scratch.loadUnaligned(as: UInt32.self))
      let part = min(geometry.usableSize - 4, count - payload.count)
      unsafe payload += UnsafeRawBufferPointer(start: scratch + 4, count: part)
    }
  }
}
