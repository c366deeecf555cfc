import Foundation
import SeedFormats
import Testing

@Suite("Inflating")
struct InflatingTests {
  static let text = Array((0..<40).map { "line \($0 * 7919)\n" }.joined().utf8)

  private func inflate(
    _ bytes: [UInt8], blockSize: Int = 4096, _ compression: FormatOptions.Compression = .automatic, output: Int = 64
  ) -> (bytes: [UInt8], error: SeedFormatError?) {
    drain(
      InflatingBlockSource(
        upstream: MemorySource(bytes, blockSize: blockSize), compression: compression, file: "x.gz"),
      atATime: output)
  }

  @Test("one member and several come out whole, however they are split", arguments: [1, 2, 3, 7, 4096])
  func members(blockSize: Int) throws {
    let member = try gzip(Self.text)
    #expect(inflate(member, blockSize: blockSize).bytes == Self.text)
    let several = inflate(member + (try gzip([])) + member + [0, 0, 0], blockSize: blockSize)
    #expect(several.bytes == Self.text + Self.text)
    #expect(several.error == nil)
  }

  @Test("a member cut off anywhere is an error, with all that was inflated before it")
  func truncation() throws {
    let member = try gzip(Self.text)
    for length in 0..<member.count {
      let (bytes, error) = inflate(Array(member[..<length]), .gzip)
      #expect(error?.code == "gzip.truncated", "cut at \(length)")
      #expect(error?.byteOffset == UInt64(length))
      #expect(error?.kind.exitCode == 74)
      #expect(Self.text.starts(with: bytes))
      if length > 0 { #expect(inflate(Array(member[..<length])).error?.code == "gzip.truncated") }
    }
    let second = inflate(member + member.dropLast(), blockSize: 5)
    #expect(second.error?.byteOffset == UInt64(2 * member.count - 1))
  }

  @Test("a wrong checksum or length is an error")
  func checksums() throws {
    let member = try gzip(Self.text)
    for index in member.count - 8..<member.count {
      var damaged = member
      damaged[index] ^= 0x10
      let error = inflate(damaged).error
      #expect(error?.code == "gzip.damaged")
      #expect(error?.message.contains(index < member.count - 4 ? "data check" : "length check") == true)
      #expect(error?.file == "x.gz")
    }
  }

  @Test("what follows the last member must be zeroes")
  func garbage() throws {
    let member = try gzip(Self.text)
    for tail in [[1], [0, 0, 0x1F], [0x1F, 0x8C]] as [[UInt8]] {
      let (bytes, error) = inflate(member + tail, blockSize: 3)
      #expect(bytes == Self.text)
      #expect(["gzip.trailing-garbage", "gzip.damaged"].contains(error?.code))
    }
    #expect(inflate(member + [0, 7]).error?.byteOffset == UInt64(member.count + 1))
  }

  @Test("what is not gzip is passed through, unless gzip was stated")
  func plain() {
    #expect(inflate(Self.text, blockSize: 1).bytes == Self.text)
    #expect(inflate([], .none).error == nil)
    // The name says that it is compressed, and gzip data is never empty.
    #expect(inflate([]).error?.code == "gzip.truncated")
    #expect(inflate(Self.text, .gzip).error?.code == "gzip.damaged")
    #expect(inflate([0x1F, 0x8B], .none).bytes == [0x1F, 0x8B])
  }

  @Test("the records before the damage are delivered before the error")
  func recordsFirst() throws {
    let text = "a\n" + (0..<5000).map { "\($0 &* 7919)\n" }.joined()
    let member = try gzip(Array(text.utf8))
    let found = events(Array(member.dropLast(2000)), .csv, ["a"])
    #expect(found.count > 100)
    #expect(found.last == .failure("gzip.truncated"))
  }
}

@Suite("Files and encodings")
struct FileTests {
  @Test("a file is read plain or compressed")
  func files() throws {
    try withDirectory { directory in
      for name in ["a.csv", "a.csv.gz"] {
        let path = directory.appendingPathComponent(name).path
        let sink = try FileSink.open(path: path)
        let writer = CSVWriter(sink: sink)
        try writer.record(["a", "b"])
        try writer.record(["1", "x,y"])
        try writer.finish()
        let reader = try RecordReader(
          source: SeedFile.open(path: path, options: .csv), options: .csv, projection: ["b"], file: path)
        let batch = RecordBatch(fieldCount: 1)
        #expect(try reader.next(batch))
        #expect(batch.text(of: batch.field(0, ofRecord: 0)) == "x,y")
        #expect(try !reader.next(batch))
      }
    }
  }

  @Test("a missing file and a folder are told apart")
  func missing() throws {
    try withDirectory { directory in
      let missing = #expect(throws: SeedFormatError.self) {
        try FileBlockSource(path: directory.appendingPathComponent("none").path)
      }
      #expect(missing?.kind == .missing)
      #expect(missing?.kind.exitCode == 66)
      let folder = drain(try FileBlockSource(path: directory.path)).error
      #expect(folder?.kind == .unreadable)
    }
  }

  static func utf16(_ text: String, isBig: Bool, hasMark: Bool) -> [UInt8] {
    ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
      isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
  }

  static let text = "a,é\n語,😀\n~\u{7FF}\u{800}\u{FFFF}\u{10FFFF}"

  @Test("UTF-16 becomes UTF-8, however it is split", arguments: [1, 2, 3, 5, 4096])
  func utf16(blockSize: Int) {
    let cases: [(FormatOptions.Encoding, Bool, Bool)] = [
      (.automatic, true, true), (.automatic, false, true), (.utf16, true, false), (.utf16, false, true),
      (.utf16LittleEndian, false, false), (.utf16LittleEndian, false, true), (.utf16BigEndian, true, false),
    ]
    for (encoding, isBig, hasMark) in cases {
      let bytes = Self.utf16(Self.text, isBig: isBig, hasMark: hasMark)
      let source = TranscodingBlockSource(upstream: MemorySource(bytes, blockSize: blockSize), encoding: encoding)
      let found = drain(source, atATime: blockSize)
      #expect(found.bytes == Array(Self.text.utf8))
      #expect(found.error == nil)
    }
  }

  @Test("UTF-8 passes unchanged, and Latin-1 becomes UTF-8")
  func others() {
    let utf8 = Array(Self.text.utf8)
    for blockSize in [1, 2, 4096] {
      let source = MemorySource(utf8, blockSize: blockSize)
      #expect(drain(TranscodingBlockSource(upstream: source, encoding: .automatic)).bytes == utf8)
    }
    let latin = drain(TranscodingBlockSource(upstream: MemorySource(Array(0...255)), encoding: .latin1)).bytes
    #expect(latin == Array(String(String.UnicodeScalarView((0...255).map { Unicode.Scalar(UInt8($0)) })).utf8))
  }

  @Test("Windows-1252 has the characters that it has elsewhere, and five control characters")
  func windows1252() {
    let bytes = Array(UInt8.min...UInt8.max)
    let decoded = drain(TranscodingBlockSource(upstream: MemorySource(bytes), encoding: .windows1252)).bytes
    let text = String(decoding: decoded, as: UTF8.self)
    let scalars = text.unicodeScalars.map(\.value)
    #expect(scalars.count == 256)
    for byte in bytes {
      let known = String(data: Data([byte]), encoding: .windowsCP1252)?.unicodeScalars.first?.value
      #expect(scalars[Int(byte)] == known ?? UInt32(byte), "\(byte)")
    }
    #expect(Windows1252.encoded(text) == bytes)
    #expect(Windows1252.encoded("a→€") == [0x61, 0x3F, 0x80])
  }

  @Test(
    "broken UTF-16 is an error at its offset",
    arguments: [
      ([0x61, 0, 0x3D, 0xD8, 0x61, 0], "text.lone-surrogate", 2),
      ([0x61, 0, 0, 0xDE, 0x61, 0], "text.lone-surrogate", 2),
      ([0x61, 0, 0x3D, 0xD8], "text.lone-surrogate", 2), ([0x61, 0, 0x62], "text.odd-byte-count", 2),
      ([0x61], "text.odd-byte-count", 0), ([0x61, 0, 0x3D, 0xD8, 0x61], "text.odd-byte-count", 4),
    ] as [([UInt8], String, UInt64)])
  func broken(bytes: [UInt8], code: String, offset: UInt64) {
    for blockSize in 1...4 {
      let source = MemorySource(bytes, blockSize: blockSize)
      let error = drain(TranscodingBlockSource(upstream: source, encoding: .utf16LittleEndian)).error
      #expect(error?.code == code)
      #expect(error?.byteOffset == offset)
    }
  }
}
