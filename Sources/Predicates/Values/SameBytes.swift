extension UnsafeRawBufferPointer {
  /// Whether there are the same bytes in both, which are compared eight at a time.
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var place = 0
    while place + 8 <= count {
      // Safety: both have eight bytes from that place on.
      let word = unsafe loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if unsafe word != other.loadUnaligned(fromByteOffset: place, as: UInt64.self) { return false }
      place += 8
    }
    while place < count {
      if unsafe self[place] != other[place] { return false }
      place += 1
    }
    return true
  }
}

extension String {
  /// Whether two texts are the same to the byte: those that are only canonically equal are not.
  func hasSameBytes(as other: String) -> Bool {
    var (left, right) = (self, other)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
      }
    }
  }
}
