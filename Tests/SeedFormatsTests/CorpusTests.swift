import Foundation
import SeedFormats
import Testing

@Suite("Public test corpora", .enabled(if: Corpora.areAvailable, "the test corpora are not beside the package"))
struct CorpusTests {
  /// Whether every record is read without fault or failure.
  private func isAccepted(_ bytes: [UInt8], _ options: FormatOptions) -> Bool {
    var options = options
    options.encoding = .utf8
    return events(bytes, options, ["", "/a", "/0"], blockSize: 13).allSatisfy { event in
      // A duplicate key is well-formed; that it is projected is this test's doing.
      if case .fault(let code, _, _, _) = event { return code == "json.duplicate-key" }
      if case .record = event { return true }
      return false
    }
  }

  @Test("JSONTestSuite: what must be accepted is, what must be refused is", arguments: ["y_", "n_"])
  func jsonSuite(prefix: String) throws {
    let files = Corpora.files("JSONTestSuite/test_parsing", ".json").filter { $0.lastPathComponent.hasPrefix(prefix) }
    #expect(files.count > 90)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      let name = Comment(rawValue: file.lastPathComponent)
      #expect(isAccepted(bytes, .json) == (prefix == "y_"), name)
      #expect(isAccepted([0x5B] + bytes + [0x5D], .json) == (prefix == "y_") || Self.isNothing(bytes), name)
      // A value over several lines, or none, is not one line's value.
      let isOneLine = !bytes.dropLast().contains(0x0A) && !Self.isNothing(bytes)
      if isOneLine { #expect(isAccepted(bytes, .ndjson) == (prefix == "y_"), name) }
    }
  }

  /// No value at all: an empty array when brackets are put around it, no record in NDJSON.
  private static func isNothing(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } || bytes == [0xEF, 0xBB, 0xBF]
      || bytes.allSatisfy { $0 == 0x2C }
  }

  @Test("JSONTestSuite: what may be refused does no harm")
  func jsonSuiteEither() throws {
    let files = ["test_parsing", "test_transform"].map { Corpora.files("JSONTestSuite/\($0)", ".json") }
    #expect(files[0].count > 250 && files[1].count > 10, "\(files.map(\.count))")
    for file in files.joined() {
      let bytes = [UInt8](try Data(contentsOf: file))
      for options in [FormatOptions.json, .ndjson] {
        let whole = events(bytes, options, [""])
        #expect(events(bytes, options, [""], blockSize: 3) == whole, Comment(rawValue: file.lastPathComponent))
      }
    }
  }

  @Test("csv-spectrum: every file gives the records of its JSON twin")
  func csvSpectrum() throws {
    let files = Corpora.files("csv-spectrum/csvs", ".csv")
    #expect(files.count == 12)
    for file in files {
      let name = file.deletingPathExtension().lastPathComponent
      let twin = file.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "json/\(name).json")
      let csv = FormatOptions.csv
      let source = SeedFile.decoded(MemorySource([UInt8](try Data(contentsOf: file))), options: csv)
      var columns = try RecordReader(source: source, options: csv, projection: []).columns
      // The corpus has another number there in its JSON than in its CSV.
      columns.removeAll { $0 == "Contact Phone Number" }
      let found = Self.values(events([UInt8](try Data(contentsOf: file)), csv, columns))
      let pointers = columns.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }
      let expected = Self.values(events([UInt8](try Data(contentsOf: twin)), .json, pointers))
      #expect(found == expected, Comment(rawValue: name))
      #expect(!found.isEmpty)
    }
  }

  private static func values(_ events: [Event]) -> [[[UInt8]]] {
    events.map { event in
      guard case .record(let fields, _, _, _) = event else { return [Array("\(event)".utf8)] }
      return fields.map(\.bytes)
    }
  }

  @Test("csvw: every file is read, wherever blocks are split, with no record lost")
  func csvw() throws {
    let files = Corpora.files("csvw/tests", ".csv")
    #expect(files.count > 100)
    var options = FormatOptions.csv
    options.hasHeader = false
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      let whole = events(bytes, options, [""])
      #expect(events(bytes, options, [""], blockSize: 11) == whole, Comment(rawValue: file.lastPathComponent))
      let raw = whole.reduce(into: [UInt8]()) { raw, event in
        switch event {
        case .record(_, _, _, let text), .fault(_, _, _, let text): raw += text
        case .failure: Issue.record("\(file.lastPathComponent): \(event)")
        }
      }
      let lineEnds: Set<UInt8> = [0x0A, 0x0D]
      let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
      #expect(raw.filter { !lineEnds.contains($0) } == text.filter { !lineEnds.contains($0) })
    }
  }
}
