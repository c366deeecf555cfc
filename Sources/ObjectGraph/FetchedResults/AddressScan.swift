/// Finds a few objects in long arrays by their identity: faster than a dictionary of all places, which every change
/// would have to rebuild.
struct AddressScan {
  private let all: Set<UInt>
  /// A bit for each hash that an address has; most objects that are not looked for have none of these.
  private let filter: [UInt64]
  private let filterShift: UInt

  init(_ objects: some Collection<ManagedObject>) {
    all = Set(objects.map { UInt(bitPattern: ObjectIdentifier($0)) })
    // 32 bits and more for each address; 64 at least.
    var bitCountLog: UInt = 6
    while 1 << bitCountLog < all.count * 32 { bitCountLog += 1 }
    filterShift = UInt(UInt.bitWidth) - bitCountLog
    var filter = [UInt64](repeating: 0, count: 1 << (bitCountLog - 6))
    for address in all {
      let bit = Self.hash(address) >> filterShift
      filter[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
    }
    self.filter = filter
  }

  private static func hash(_ address: UInt) -> UInt {
    address &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
  }

  /// Where the objects are that occur, in rising order.
  /// - Complexity: linear.
  func indexes<Object: ManagedObject>(in objects: [Object]) -> [Int] {
    // Safety: an element of an array of objects is one reference, which is the address of the object.
    unsafe objects.withUnsafeBytes { unsafe indexes(in: $0, count: objects.count) }
  }

  private func indexes(in bytes: UnsafeRawBufferPointer, count: Int) -> [Int] {
    let stride = MemoryLayout<UInt>.stride
    guard bytes.count == count * stride else { return [] }
    var result: [Int] = []
    for index in 0..<count {
      let address = unsafe bytes.load(fromByteOffset: index * stride, as: UInt.self)
      let bit = Self.hash(address) >> filterShift
      if filter[Int(bit >> 6)] & (1 << UInt64(bit & 63)) != 0, all.contains(address) { result.append(index) }
    }
    return result
  }
}
