import Platform

/// libzstd, loaded when the first source needs it: it is no part of every system, and most seeds do without.
@safe struct ZstdLibrary: Sendable {
  /// Names of the library, as the systems call it.
  #if canImport(Darwin)
    static let names = [
      "libzstd.1.dylib", "/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib",
      "/opt/local/lib/libzstd.1.dylib",
    ]
    static let advice = "install it (brew install zstd), or unpack the file (zstd -d)"
  #else
    static let names = ["libzstd.so.1"]
    static let advice =
      "install it (apt install libzstd1, dnf install libzstd, apk add zstd-libs), or unpack the file (zstd -d)"
  #endif

  typealias Create = @convention(c) () -> OpaquePointer?
  typealias Free = @convention(c) (OpaquePointer?) -> Int
  typealias Decompress =
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
  typealias IsError = @convention(c) (Int) -> UInt32
  typealias ErrorName = @convention(c) (Int) -> UnsafePointer<CChar>?

  let create: Create
  let free: Free
  let decompress: Decompress
  let isError: IsError
  let errorName: ErrorName

  /// Loads the library; it stays loaded.
  /// - Returns: nil where it is not there, or is no libzstd.
  init?(names: [String]) {
    guard
      let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
      let create = unsafe dlsym(handle, "ZSTD_createDStream"), let free = unsafe dlsym(handle, "ZSTD_freeDStream"),
      let decompress = unsafe dlsym(handle, "ZSTD_decompressStream"),
      let isError = unsafe dlsym(handle, "ZSTD_isError"), let errorName = unsafe dlsym(handle, "ZSTD_getErrorName")
    else { return nil }
    // Safety: the types are those of zstd.h, which keeps them; the library is never unloaded.
    unsafe self.create = unsafeBitCast(create, to: Create.self)
    unsafe self.free = unsafeBitCast(free, to: Free.self)
    unsafe self.decompress = unsafeBitCast(decompress, to: Decompress.self)
    unsafe self.isError = unsafeBitCast(isError, to: IsError.self)
    unsafe self.errorName = unsafeBitCast(errorName, to: ErrorName.self)
  }

  /// The library that the system has.
  static let installed = ZstdLibrary(names: names)
}

/// The decompressed bytes of zstd frames, one after another.
@safe final class ZstdBlockSource: PiecewiseSource {
  private let upstream: any BlockSource
  private let file: String?
  private let inflation: InflationLimit
  private let library: ZstdLibrary
  private let stream: OpaquePointer
  private let block = ByteBlock()
  private var used = 0
  /// Bytes that were given to the library.
  private var taken: UInt64 = 0
  private var given = 0
  /// Nothing is open: a frame may begin, or the file end.
  private var isBetweenFrames = false
  var isDone = false
  var pendingError: SeedFormatError?

  /// Whether bytes begin a frame, or a part that readers skip.
  static func isFrame(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    guard count >= 4 else { return false }
    let isSkippable = unsafe bytes[0] & 0xF0 == 0x50 && bytes[1] == 0x2A && bytes[2] == 0x4D && bytes[3] == 0x18
    return unsafe isSkippable || bytes[0] == 0x28 && bytes[1] == 0xB5 && bytes[2] == 0x2F && bytes[3] == 0xFD
  }

  /// - Parameter library: nil when it is not installed.
  /// - Throws: `zstd.library`, `zstd.memory`.
  init(
    upstream: any BlockSource, inflation: InflationLimit, file: String?,
    library: ZstdLibrary? = ZstdLibrary.installed
  ) throws(SeedFormatError) {
    guard let library else {
      throw SeedFormatError(
        code: "zstd.library", kind: .unreadable,
        message:
          "the file is compressed with zstd, and the library that reads it (\(ZstdLibrary.names[0])) is not there",
        hint: ZstdLibrary.advice, file: file)
    }
    guard let stream = unsafe library.create() else {
      throw SeedFormatError(code: "zstd.memory", kind: .io, message: "no memory left to decompress", file: file)
    }
    self.upstream = upstream
    self.inflation = inflation
    self.file = file
    self.library = library
    unsafe self.stream = stream
  }

  deinit { _ = unsafe library.free(stream) }

  /// - Throws: `zstd.truncated`, `zstd.damaged`, `zstd.too-large`, with the offset in the compressed file; and the
  ///   upstream's errors. What was decompressed before is given first.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    try unsafe fill(target)
  }

  func some(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    var isAtEnd = false
    if used == block.count {
      used = 0
      isAtEnd = try !block.fill(from: upstream)
      if isAtEnd && isBetweenFrames {
        isDone = true
        return 0
      }
    }
    // The library may hold text back that had no room; it is given out without more input.
    // Safety: both buffers are laid out as zstd.h has them, and used during the call only. The library moves each
    // position up to its size.
    var input = unsafe Buffer(start: block.base, size: block.count, position: used)
    var output = unsafe Buffer(start: target.baseAddress, size: target.count, position: 0)
    let result = unsafe library.decompress(stream, &output, &input)
    taken += UInt64(unsafe input.position - used)
    used = unsafe input.position
    let count = unsafe output.position
    if library.isError(result) != 0 {
      let reason = unsafe library.errorName(result).map { unsafe String(cString: $0) } ?? "error \(result)"
      if reason.contains("too much memory") {
        throw failure(
          "zstd.window", "the zstd data looks back further than 128 MB, which takes as much memory",
          "compress it anew without --long, or unpack it first (zstd -d --long=31)")
      }
      throw failure("zstd.damaged", "the zstd data is damaged: \(reason)", "fetch or compress the file again")
    }
    isBetweenFrames = result == 0
    if isAtEnd, count == 0, !isBetweenFrames {
      throw failure("zstd.truncated", "the zstd data ends too early", "the file was cut off; fetch it again")
    }
    given += count
    if let message = inflation.refusal(inflated: given, compressed: Int(taken), what: "zstd data") {
      var error = failure("zstd.too-large", message, "if that is right, raise the limit (--max-inflated)")
      error.kind = .malformed
      throw error
    }
    return count
  }

  /// `ZSTD_inBuffer` and `ZSTD_outBuffer`: three words each.
  @unsafe private struct Buffer {
    var start: UnsafeMutableRawPointer?
    var size: Int
    var position: Int
  }

  private func failure(_ code: String, _ message: String, _ hint: String) -> SeedFormatError {
    SeedFormatError(code: code, kind: .damaged, message: message, hint: hint, file: file, byteOffset: taken)
  }
}

/// Bytes that were read already, and then the rest of a source.
@safe final class ResumedBlockSource: BlockSource {
  private let held: [UInt8]
  private var given = 0
  private let upstream: any BlockSource

  init(_ held: [UInt8], then upstream: any BlockSource) {
    self.held = held
    self.upstream = upstream
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    guard given < held.count else { return try unsafe upstream.read(into: target) }
    let count = min(target.count, held.count - given)
    unsafe target.copyBytes(from: held[given..<given + count])
    given += count
    return count
  }
}
