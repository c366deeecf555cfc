import Foundation
import ImportEngine
import Pipelines
import SeedFormats

/// A data file, which is opened anew for each look at it.
struct DataFile {
  let path: String
  let inflation: InflationLimit
  let cancellation: Cancellation

  func open(_ options: FormatOptions) throws(SeedFormatError) -> any BlockSource {
    var options = options
    options.limits.inflation = inflation
    return try SeedFile.open(path: path, options: options)
  }

  /// The first bytes, decoded.
  func head(
    _ encoding: FormatOptions.Encoding, count: Int = FileFormatSniffer.headCount
  ) throws(SeedFormatError) -> (bytes: [UInt8], isWhole: Bool) {
    var options = FormatOptions.csv
    options.encoding = encoding
    do {
      return try open(options).head(count: count)
    } catch  where error.code == "source.kind" {
      // A run refuses UTF-16 and property lists that are not stated; the pipeline will state them.
      options.isPropertyList = true
      let raw = try open(options).head(count: FileFormatSniffer.headCount)
      // UTF-16 is text when its encoding is stated; other kinds of files are not.
      let isWideText = FileKind(Array(raw.bytes.prefix(FileKind.prefixLength)), allowsWideText: true) == nil
      let encoding = FileFormatSniffer.encoding(of: raw.bytes)
      guard isWideText && encoding != nil || FileFormatSniffer.isPropertyList(raw.bytes) else { throw error }
      return raw
    }
  }

  /// Whether most characters beyond ASCII are UTF-8, in the whole file, so that some bytes are faults.
  func isMeantAsUTF8() throws -> Bool {
    var options = FormatOptions.csv
    options.encoding = .utf8
    return try UTF8Count(open(options), check: stopIfCancelled).isMeantAsUTF8
  }

  func stopIfCancelled() throws {
    if cancellation.isCancelled { throw RunError(.interrupted, code: "interrupted", "interrupted") }
  }
}
