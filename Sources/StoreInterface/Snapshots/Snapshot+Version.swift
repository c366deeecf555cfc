extension Snapshot {
  /// The bits of a version that count. One more than the greatest such number still fits 64 bits with a sign.
  package static let versionBits: Int64 = 0x3FFF_FFFF_FFFF_FFFF

  /// The version that a row has after a change. Core Data only asks whether it is another one, so that a counter that
  /// is at its end goes on with smaller numbers.
  package static func version(after version: Int64) -> Int64 { (version & versionBits) + 1 }
}
