import Foundation
import Platform
import TestSupport
import Testing

@testable import SeedFormats

@Suite("Zip archives")
struct ZipTests {
  static let text = "id,name\n" + (0..<2000).map { "\($0),name \($0 &* 7919)\n" }.joined()

  private static func deflated(_ name: String, _ text: String = ZipTests.text) throws -> ZipBuilder.Member {
    ZipBuilder.Member(name, text, deflated: try RawDeflate.deflate(Array(text.utf8)))
  }

  /// What a source at a path inside a folder gives.
  private func read(
    _ archive: [UInt8], _ member: String? = nil, inflation: InflationLimit = .standard
  ) throws -> (text: String, error: SeedFormatError?) {
    try withDirectory { folder in
      let path = folder.appendingPathComponent("feed.zip").path
      try Data(archive).write(to: URL(fileURLWithPath: path))
      var options = FormatOptions.csv
      options.limits.inflation = inflation
      do {
        let source = try SeedFile.open(path: path + (member.map { "!" + $0 } ?? ""), options: options)
        let (bytes, error) = drain(source, atATime: 1000)
        return (String(decoding: bytes, as: UTF8.self), error)
      } catch let error as SeedFormatError {
        return ("", error)
      }
    }
  }

  @Test("members come out whole, however the archive is written")
  func forms() throws {
    var archives: [(String, ZipBuilder)] = []
    let members = [ZipBuilder.Member("data/stops.txt", Self.text), try Self.deflated("data/routes.txt", Self.text)]
    archives.append(("plain", ZipBuilder(members)))
    archives.append(("descriptors", ZipBuilder(members.map { with($0) { $0.hasDescriptor = true } })))
    archives.append(("zip64 members", ZipBuilder(members.map { with($0) { $0.isZip64 = true } })))
    archives.append(("zip64 end", with(ZipBuilder(members)) { $0.isZip64 = true }))
    archives.append(("comment", with(ZipBuilder(members)) { $0.comment = Array("PK\u{5}\u{6} is no end".utf8) }))
    archives.append(("prefix", with(ZipBuilder(members)) { $0.prefix = Array("#!/bin/sh\nexec unzip\n".utf8) }))
    archives.append(
      (
        "prefix and zip64",
        with(ZipBuilder(members)) {
          $0.prefix = [1, 2, 3]
          $0.isZip64 = true
        }
      ))
    archives.append(("local extra", ZipBuilder(members.map { with($0) { $0.localExtra = [1, 2, 3, 4, 5] } })))
    for (name, archive) in archives {
      for member in ["data/stops.txt", "data/routes.txt"] {
        let (text, error) = try read(archive.bytes, member)
        #expect(error == nil, "\(name)")
        #expect(text == Self.text, "\(name)")
      }
    }
  }

  @Test("empty members, and members that are compressed themselves")
  func insideMembers() throws {
    let zipped = ZipBuilder([
      ZipBuilder.Member("empty.csv", ""), try Self.deflated("none.csv", ""),
      ZipBuilder.Member("stops.csv.gz", try gzip(Array(Self.text.utf8))),
    ]).bytes
    #expect(try read(zipped, "empty.csv").error == nil)
    #expect(try read(zipped, "none.csv").error == nil)
    #expect(try read(zipped, "stops.csv.gz").text == Self.text)
  }

  @Test(
    "names of members are only names",
    arguments: ["../../etc/passwd", "/abs/x.csv", "C:\\x.csv", "a!b.csv", "söß/日本.csv", "e\u{301}.csv", " "])
  func names(name: String) throws {
    #expect(
      try read(ZipBuilder([ZipBuilder.Member(name, "a\n1\n"), try Self.deflated("b")]).bytes, name).text == "a\n1\n")
  }

  @Test("names of another time are in code page 437")
  func codePage() throws {
    var member = ZipBuilder.Member("", "a\n1\n")
    member.name = Array("caf".utf8) + [0x82] + Array(".csv".utf8)
    #expect(try read(ZipBuilder([member]).bytes, "café.csv").text == "a\n1\n")
  }

  @Test("an archive with one file is that file; folders, hidden files and the Finder's do not count")
  func onlyMember() throws {
    let member = ZipBuilder.Member("a/stops.csv", "a\n1\n")
    let others = ["a/", "__MACOSX/a/._stops.csv", "a/.DS_Store"].map { ZipBuilder.Member($0, "") }
    #expect(try read(ZipBuilder([member]).bytes).text == "a\n1\n")
    #expect(try read(ZipBuilder(others + [member]).bytes).text == "a\n1\n")
    #expect(try read(ZipBuilder([ZipBuilder.Member("README.md", "x"), member]).bytes).text == "a\n1\n")
    #expect(try read(ZipBuilder([ZipBuilder.Member("data.dat", "x")]).bytes).text == "x")
    let two = try read(ZipBuilder([member, ZipBuilder.Member("b.csv", "")]).bytes).error
    #expect(two?.code == "zip.members")
    #expect(two?.hint?.contains("!a/stops.csv") == true)
    #expect(two?.hint?.contains("b.csv") == true)
    #expect(try read(ZipBuilder([]).bytes).error?.code == "zip.members")
  }

  @Test("what cannot be read is refused with its reason")
  func refusals() throws {
    let good = try Self.deflated("stops.csv")
    func code(_ archive: ZipBuilder, _ name: String = "stops.csv") throws -> String? {
      try read(archive.bytes, name).error?.code
    }
    func code(_ change: (inout ZipBuilder.Member) -> Void) throws -> String? {
      try code(ZipBuilder([with(good, change)]))
    }
    #expect(try code { $0.flags = 1 } == "zip.encrypted")
    #expect(try code { $0.method = 99 } == "zip.encrypted")
    for method: UInt16 in [1, 6, 9, 12, 14, 93, 95, 98, 77] {
      #expect(try code { $0.method = method } == "zip.method", "\(method)")
    }
    #expect(
      try read(ZipBuilder([with(good) { $0.method = 14 }]).bytes, "stops.csv").error?.message.contains("LZMA") == true)
    #expect(try code { $0.checksum = 7 } == "zip.damaged")
    #expect(try code { $0.size = 100 } == "zip.damaged")
    #expect(try code { $0.size = 1 << 20 } == "zip.damaged")
    #expect(try code { $0.localName = Array("other.csv".utf8) } == "zip.damaged")
    #expect(try code(ZipBuilder([good, good])) == "zip.duplicate-member")
    #expect(try code(with(ZipBuilder([good])) { $0.disk = 1 }) == "zip.multi-disk")
    #expect(try code(with(ZipBuilder([good])) { $0.countError = 1 }) == "zip.damaged")
    #expect(try code(ZipBuilder([ZipBuilder.Member("folder/", "")]), "folder/") == "zip.no-member")
    let missing = try read(ZipBuilder([good, ZipBuilder.Member("routes.csv", "")]).bytes, "Stop.csv").error
    #expect(missing?.code == "zip.no-member")
    #expect(missing?.kind.exitCode == 66)
    #expect(missing?.hint == "did you mean \"stops.csv\"?")
    #expect(try read(Array("no archive at all".utf8), "x").error?.code == "zip.none")
  }

  @Test("a member may not inflate to more than the limit")
  func bomb() throws {
    let zeroes = String(repeating: "0", count: 8 << 20)
    let archive = ZipBuilder([try Self.deflated("a.csv", zeroes)]).bytes
    #expect(try read(archive, inflation: InflationLimit(bytes: 1 << 20)).error?.code == "zip.too-large")
    #expect(try read(archive, inflation: InflationLimit(ratio: 100)).error?.code == "zip.too-large")
    #expect(try read(archive).error == nil)
  }

  @Test("an archive cut off anywhere is an error")
  func truncation() throws {
    let archive = ZipBuilder([try Self.deflated("stops.csv", String(Self.text.prefix(600)))]).bytes
    for length in stride(from: 0, to: archive.count, by: 3) {
      let error = try read(Array(archive[..<length]), "stops.csv").error
      #expect(error != nil, "cut at \(length)")
    }
  }

  @Test("damage anywhere gives the text or an error, never other text")
  func randomDamage() throws {
    let text = String(Self.text.prefix(900))
    let archive = ZipBuilder([
      try Self.deflated("stops.csv", text), ZipBuilder.Member("b.csv", "b"),
    ]).bytes
    var random = SeededGenerator(seed: 11)
    try withDirectory { folder in
      let path = folder.appendingPathComponent("feed.zip").path
      var read = 0
      for _ in 0..<1500 {
        var bytes = archive
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        guard let source = try? SeedFile.open(path: path + "!stops.csv", options: .csv) else { continue }
        let (found, error) = drain(source)
        if error != nil { continue }
        read += 1
        #expect(String(decoding: found, as: UTF8.self) == text)
      }
      #expect(read > 10)
    }
  }

  @Test("a path is a member where no file has just that name")
  func places() throws {
    try withDirectory { folder in
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      try Data("x\n".utf8).write(to: URL(fileURLWithPath: path("a!b.csv")))
      try Data("x\n".utf8).write(to: URL(fileURLWithPath: path("a")))
      #expect(SeedPlace.parts(of: path("a!b.csv")).member == nil)
      #expect(SeedPlace.parts(of: path("a!c.csv")).member == "c.csv")
      #expect(SeedPlace.parts(of: path("no.zip!b!c.csv")).member == "b!c.csv")
      #expect(SeedPlace.parts(of: path("no!b.csv")).member == nil)
      #expect(SeedPlace.parts(of: "-").member == nil)
    }
  }
}

/// A value with a change.
private func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}
