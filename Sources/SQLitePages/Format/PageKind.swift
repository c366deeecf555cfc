/// The first byte of a b-tree page.
enum PageKind: UInt8 {
  case interiorIndex = 2
  case interiorTable = 5
  case leafIndex = 10
  case leafTable = 13

  var isLeaf: Bool { self == .leafIndex || self == .leafTable }
  /// Bytes before the cell pointers.
  var headerSize: Int { isLeaf ? 8 : 12 }
}
