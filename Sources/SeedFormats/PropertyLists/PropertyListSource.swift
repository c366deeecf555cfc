import PropertyLists

/// A property list, in XML or binary, as a JSON document: dates in ISO 8601, data in base64, numbers and booleans as
/// such. The whole list is held in memory, because the binary form can only be read so.
@safe final class PropertyListSource: BlockSource {
  private let upstream: any BlockSource
  private let pointer: String
  private let limits: FormatOptions.Limits
  private let file: String?
  private var json: [UInt8]?
  private var given = 0

  /// The most bytes of a list.
  static let maximumBytes = 512 << 20

  /// - Parameter pointer: where the array of records is.
  init(upstream: any BlockSource, pointer: String, limits: FormatOptions.Limits, file: String?) {
    self.upstream = upstream
    self.pointer = pointer
    self.limits = limits
    self.file = file
  }

  /// - Throws: `plist.malformed`, `plist.too-large`, and the upstream's errors, all before the first byte.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let json = try text()
    let count = min(target.count, json.count - given)
    unsafe target.copyBytes(from: json[given..<given + count])
    given += count
    return count
  }

  private func text() throws(SeedFormatError) -> [UInt8] {
    if let json { return json }
    json = []
    let text = try converted()
    json = text
    return text
  }

  private func converted() throws(SeedFormatError) -> [UInt8] {
    let held = ByteBuffer()
    while try held.append(from: upstream, maximum: ByteBlock.defaultCapacity) {
      guard held.count <= Self.maximumBytes else {
        throw error("plist.too-large", "the property list is larger than \(Self.maximumBytes) bytes", at: held.count)
      }
    }
    let bytes = unsafe Array(UnsafeBufferPointer(start: held.base, count: held.count))
    let path = try JSONPointer.tokens(pointer, file: file).map { String(decoding: $0, as: UTF8.self) }
    let isBinary = PropertyList.isBinary(bytes)
    do throws(PropertyListError) {
      if !isBinary, let first = bytes.first(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }),
        first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
      {
        throw PropertyListError(
          "the property list is neither XML nor binary", hint: "convert it (plutil -convert xml1 FILE)")
      }
      // Lists share equal values, so more may come out than went in. The binary reader calls itself for each level.
      let limits = PropertyListLimits(
        depth: isBinary ? min(limits.nestingDepth, 128) : limits.nestingDepth,
        valueCount: 16 * bytes.count + 1_000_000, byteCount: 64 * bytes.count + 1_000_000)
      return try PropertyList.json(bytes, path: path, limits: limits)
    } catch {
      let damage = isBinary && error.hint == nil
      throw self.error(
        "plist.malformed", (damage ? "the binary property list is damaged: " : "") + error.message,
        hint: damage ? "fetch or write the file again" : error.hint, at: error.byteOffset, in: bytes)
    }
  }

  private func error(
    _ code: String, _ message: String, hint: String? = nil, at: Int, in bytes: [UInt8] = []
  ) -> SeedFormatError {
    var error = SeedFormatError(
      code: code, kind: .malformed, message: message, hint: hint, file: file, byteOffset: UInt64(at))
    // A list in XML has lines.
    if !bytes.isEmpty, !PropertyList.isBinary(bytes) {
      let before = bytes.prefix(at)
      let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      error.line = UInt64(before.count { $0 == 0x0A }) + 1
      error.column = UInt64(before[start...].count { $0 & 0xC0 != 0x80 }) + 1
    }
    return error
  }
}
