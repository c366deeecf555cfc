/// Slices of unescaped text are marked while a batch is being filled, because only at its end is it known where
/// the raw bytes stop and the unescaped ones start.
enum SideArena {
  static let mark: UInt32 = 0x8000_0000

  /// Makes marked slices point after `rawCount` raw bytes.
  static func place(_ slices: UnsafeMutablePointer<FieldSlice>, count: Int, rawCount: Int) {
    // Safety: callers give as many slices as they count.
    for index in 0..<count where unsafe slices[index].offset & mark != 0 {
      unsafe slices[index].offset = (slices[index].offset & ~mark) + UInt32(rawCount)
    }
  }
}

extension RecordBatch {
  /// A batch is handed over once it holds this many raw bytes, so that it stays in the cache.
  static let byteGoal = 1 << 20

  /// Puts the unescaped fields behind the raw bytes.
  func placeUnescaped(_ side: ByteBuffer) {
    guard side.count > 0 else { return }
    let rawCount = storage.count
    unsafe storage.append(side.base, count: side.count)
    // Safety: the records that were counted have all their slices written.
    unsafe SideArena.place(fieldStorage, count: count * fieldCount, rawCount: rawCount)
  }
}
