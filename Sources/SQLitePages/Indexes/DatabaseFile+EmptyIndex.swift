extension DatabaseFile {
  /// Empties an index: its root becomes an empty leaf, and all its other pages may be taken by new ones.
  func emptyIndex(root: UInt32) throws(PageError) {
    let pages = try TreePages(PageBuffer(self), root: root, isIndex: true)
    recycle(pages.interior + pages.overflow + (pages.leaves == [root] ? [] : pages.leaves))
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    defer { unsafe bytes.deallocate() }
    let page = unsafe PageBuilder(.leafIndex, geometry: geometry, page: bytes)
    unsafe try replace(root, page.finish())
  }
}
