/// Finds a few objects in long arrays by their identity: faster than a dictionary of all places, which every change would
/// have to rebuild.
struct AddressScan {
  private let first: UInt?
  private let all: Set<UInt>

  init(_ objects: some Collection<ManagedObject>) {
    all = Set(objects.map { UInt(bitPattern: ObjectIdentifier($0)) })
    first = all.count == 1 ? all.first : nil
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
      if let first {
        if address == first { result.append(index) }
      } else if all.contains(address) {
        result.append(index)
      }
    }
    return result
  }
}
