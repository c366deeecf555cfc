/// The most that compressed bytes may inflate to: a few bytes can stand for as many as one likes.
public struct InflationLimit: Sendable, Equatable {
  /// Inflated bytes of one source.
  public var bytes: Int
  /// Inflated bytes for each compressed one, looked at once a megabyte has come out; nil: any number. DEFLATE itself
  /// allows 1,032.
  public var ratio: Int?

  /// A limit by size, by ratio, or by both.
  public init(bytes: Int = InflationLimit.standard.bytes, ratio: Int? = nil) {
    self.bytes = bytes
    self.ratio = ratio
  }

  /// 64 GiB, at any ratio: text that repeats itself may reach the greatest one.
  public static let standard = InflationLimit(bytes: 64 << 30, ratio: nil)

  /// Smaller sources may have any ratio.
  private static let ratioThreshold = 1 << 20

  /// The message when there are too many bytes; nil when there are not.
  /// - Parameter what: how messages call the compressed bytes.
  func refusal(inflated: Int, compressed: Int, what: String = "gzip data") -> String? {
    let times = inflated / max(compressed, 1)
    if inflated > bytes {
      return "the \(what) inflates to more than \(bytes) bytes (so far to \(times) times its size)"
    }
    if let ratio, inflated > Self.ratioThreshold, inflated / ratio > compressed {
      return "the \(what) inflates to more than \(ratio) times its size (\(inflated) bytes so far)"
    }
    return nil
  }
}
