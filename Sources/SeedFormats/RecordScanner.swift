/// What `RecordReader` drives: fills batches from a window, one format each.
protocol RecordScanner: AnyObject {
  /// Column names; empty for JSON.
  var columns: [String] { get }
  /// Unescaped fields of the batch being filled. Slices into it carry `SideArena.mark`.
  var side: ByteBuffer { get }
  var window: InputWindow { get }
  /// Position in the window up to which the batch reaches.
  var position: Int { get }
  /// Appends records until the batch is full or the input ends. When it throws, the records before are in the batch.
  func fill(_ batch: RecordBatch, maximumRecords: Int) throws(SeedFormatError)
}

/// Slices of unescaped text are marked while a batch is being filled, because only at its end is it known where
/// the raw bytes stop and the unescaped ones start.
enum SideArena {
  static let mark: UInt32 = 0x8000_0000

  /// Makes marked slices point after `rawCount` raw bytes.
  static func settle(_ slices: UnsafeMutablePointer<FieldSlice>, count: Int, rawCount: Int) {
    for index in 0..<count where unsafe slices[index].offset & mark != 0 {
      unsafe slices[index].offset = (slices[index].offset & ~mark) + UInt32(rawCount)
    }
  }
}

/// A batch is handed over once it holds this many raw bytes, so that it stays in the cache.
let batchByteGoal = 1 << 20
