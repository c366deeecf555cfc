/// All objects of a keyed archive's property list, each by its number.
///
/// Every object is read once; all together may not take more bytes than the file has for them, so objects that overlap
/// cannot multiply, and the memory is bounded by the file's size. O(bytes).
struct ArchiveTable {
  enum Object {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference of the archive.
    case uid(Int)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// The most objects that are read. A model of 500 entities with 50 properties each has about 200,000.
  static let maximumObjectCount = 1 << 20

  let objects: [Object]
  /// The number of the outermost object.
  let root: Int

  init(_ bytes: [UInt8]) throws(ArchiveError) {
    do throws(PropertyListError) {
      let list = try BinaryPropertyListObjects(bytes)
      guard list.count <= Self.maximumObjectCount else {
        throw PropertyListError(
          "the property list has \(list.count) objects, more than the \(Self.maximumObjectCount) that are read")
      }
      root = list.root
      objects = try Self.objects(list)
    } catch {
      throw ArchiveError(error.message)
    }
  }

  private static func objects(_ list: BinaryPropertyListObjects) throws(PropertyListError) -> [Object] {
    var objects: [Object] = []
    objects.reserveCapacity(list.count)
    var bytesLeft = list.byteCount
    for number in 0..<list.count {
      let (object, byteCount) = try list.object(number)
      bytesLeft -= byteCount
      guard bytesLeft >= 0 else { throw PropertyListError("objects of the property list overlap") }
      objects.append(try resolved(object, number, list))
    }
    return objects
  }

  private static func resolved(
    _ object: BinaryPropertyListObjects.Object, _ number: Int, _ list: BinaryPropertyListObjects
  ) throws(PropertyListError) -> Object {
    switch object {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let integer): return .integer(integer)
    case .unsigned: throw PropertyListError("object \(number) is a whole number beyond 64 bits")
    case .real(let real): return .real(real)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .string(let text): return .string(text)
    case .uid(let reference): return .uid(reference)
    case .array(let elements): return .array(try list.numbers(elements))
    case .dictionary(let keys, let values):
      return .dictionary(keys: try list.numbers(keys), values: try list.numbers(values))
    }
  }
}
