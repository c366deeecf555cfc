import ArgumentParser
import SeedFormats

/// The most that a source may inflate to, as an argument: a size (`10GB`), a ratio (`200:1`), or both with a comma.
struct InflationOption: CustomStringConvertible {
  var limit: InflationLimit

  init(limit: InflationLimit) { self.limit = limit }

  init?(argument: String) {
    limit = .standard
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(parts.count) else { return nil }
    for part in parts {
      let part = part.filter { $0 != " " }
      if part.hasSuffix(":1") {
        guard limit.ratio == nil, let ratio = Int(part.dropLast(2)), ratio > 0 else { return nil }
        limit.ratio = ratio
      } else {
        guard limit.bytes == InflationLimit.standard.bytes, let size = ByteSize(argument: part) else { return nil }
        limit.bytes = size.bytes
      }
    }
  }

  /// Reads an argument.
  /// - Throws: what is wrong, with an example.
  static func parse(_ argument: String) throws -> InflationOption {
    for part in argument.split(separator: ",") {
      if let mistake = ByteSize.mistake(String(part)) { throw ValidationError(mistake + ", or a ratio such as 200:1") }
    }
    guard let option = InflationOption(argument: argument) else {
      throw ValidationError("a limit is a size, a ratio or both, for example 10GB, 200:1 or 10GB,200:1")
    }
    return option
  }

  var description: String { "64GiB" }
}
