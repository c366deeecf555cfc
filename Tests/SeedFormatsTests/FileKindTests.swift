import Foundation
import Testing

@testable import SeedFormats

/// Files that are no text are told by their first bytes; text that begins likewise is text.
@Suite("Kinds of files")
struct FileKindTests {
  private static let office: [UInt8] = [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26)

  @Test(
    "what a file is that is no text",
    arguments: [
      ([0x50, 0x4B, 3, 4, 20, 0], "a zip archive"),
      ([0x50, 0x4B, 5, 6, 0, 0], "a zip archive"),
      (office + Array("[Content_Types].xml".utf8), "an Office document"),
      (office + Array("mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8), "an OpenDocument file"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "packed with xz"),
      ([0x28, 0xB5, 0x2F, 0xFD, 0x24], "packed with zstd"),
      ([0x04, 0x22, 0x4D, 0x18, 0x64], "packed with LZ4"),
      ([0x1F, 0x9D, 0x90], "packed with compress"),
      ([0x1F, 0x8B, 8, 0], "packed with gzip"),
      (Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "packed with bzip2"),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive"),
      (Array("Rar!".utf8) + [0x1A, 7, 0], "a RAR archive"),
      (Array("SQLite format 3".utf8) + [0, 16], "an SQLite database"),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an old Office document"),
      (Array("%PDF-1.7\n".utf8), "a PDF document"),
      (Array("bplist00".utf8) + [0xD1], "a binary property list"),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a PNG picture"),
      ([0xFF, 0xD8, 0xFF, 0xE0], "a JPEG picture"),
      ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1], "a program"), ([0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1], "a program"),
      ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], "a program"), ([0x4D, 0x5A, 0x90, 0, 3, 0, 0, 0], "a program"),
      (Array("PAR1".utf8) + [0x15, 0x04], "a Parquet file"),
      (Array("Obj".utf8) + [1, 4], "an Avro file"),
      (Array("ARROW1".utf8) + [0, 0], "an Arrow file"),
      (Array("feed.csv".utf8) + [UInt8](repeating: 0, count: 249) + Array("ustar".utf8), "a tar archive"),
      (Array("\u{FEFF}\n <!doctype HTML>".utf8), "a web page"),
      (Array("<HTML lang=en>".utf8), "a web page"),
      (Array("<?xml version=\"1.0\"?>".utf8), "XML"),
      (Array("{\\rtf1\\ansi".utf8), "formatted text"),
      (Array("a\0,\0b\0\n\0".utf8), "UTF-16"),
      (Array("\0a\0,\0b\0\n".utf8), "UTF-16"),
      ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"),
      ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "UTF-32"),
    ] as [([UInt8], String)])
  func kinds(_ bytes: [UInt8], _ name: String) throws {
    let kind = try #require(FileKind(bytes))
    #expect(kind.name.hasPrefix(name))
    #expect(!kind.hint.isEmpty)
  }

  @Test(
    "text is text, whatever it begins with",
    arguments: [
      "", "a", "PK,name\n1,a\n", "PK\n", "BZh9,x\n", "Rar!,x\n", "PAR1,x\n", "PAR1", "%PDF,x\n", "Obj,x\n", "Object\n",
      "ARROW1,x\n", "SQLite format 3,x\n", "bplist,x\n", "GIF89,x\n", "7z,x\n", "MZ,x\n", "MZ\n", "name,<html>\n",
      "<a>,<b>\n",
      "{\"rtf\": 1}", "[{\"a\": 1}]", "\u{FEFF}a,b\n", "ä,ö\n", "東京,大阪\n", "(µ,ý\n", "\t\t\n", "\0",
    ])
  func text(_ text: String) {
    #expect(FileKind(Array(text.utf8)) == nil)
  }

  @Test("UTF-16 is text where the encoding is stated")
  func statedEncoding() throws {
    #expect(FileKind(Array("a\0,\0".utf8), allowsWideText: true) == nil)
    var options = FormatOptions.csv
    options.encoding = .utf16LittleEndian
    let reader = try RecordReader(
      source: SeedFile.decoded(BytesInPieces(Array("a\0\n\0b\0\n\0".utf8), 1), options: options), options: options,
      projection: ["a"])
    #expect(reader.columns == ["a"])
  }

  @Test("a file is told however few bytes come at a time, and text comes through whole", arguments: [1, 2, 7, 600])
  func pieces(_ length: Int) throws {
    let packed = SeedFile.decoded(BytesInPieces([0x50, 0x4B, 3, 4, 20, 0, 0], length), options: .csv, file: "a.csv")
    let error = #expect(throws: SeedFormatError.self) { try packed.next() }
    #expect(error?.code == "source.kind")
    #expect(error?.file == "a.csv")
    let bytes = (0..<2000).map { UInt8(0x61 + $0 % 26) }
    let text = SeedFile.decoded(BytesInPieces(bytes, length), options: .csv)
    var read: [UInt8] = []
    while let block = try text.next() { read += unsafe Array(block.bytes) }
    #expect(read == bytes)
  }
}

/// Bytes that come some at a time, as those of a pipe do.
private final class BytesInPieces: BlockSource {
  private var rest: ArraySlice<UInt8>
  private let length: Int

  init(_ bytes: [UInt8], _ length: Int) {
    rest = bytes[...]
    self.length = length
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let piece = rest.prefix(min(length, target.count))
    rest = rest.dropFirst(piece.count)
    unsafe target.copyBytes(from: piece)
    return piece.count
  }
}
