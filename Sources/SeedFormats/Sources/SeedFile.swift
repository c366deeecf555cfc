/// Seeds on disk.
public enum SeedFile {
  /// The text of a file as UTF-8: read, inflated and transcoded as the options say.
  /// - Parameter path: `-` is standard input.
  public static func open(path: String, options: FormatOptions) throws(SeedFormatError) -> any BlockSource {
    decoded(try FileBlockSource(path: path), options: options, file: path)
  }

  /// The text of compressed or encoded bytes as UTF-8.
  /// - Parameter workers: members of a gzip file that has several are inflated by so many at a time.
  public static func decoded(
    _ source: any BlockSource, options: FormatOptions, file: String? = nil, workers: Int = 1
  ) -> any BlockSource {
    var source = source
    if options.compression != .none {
      source = InflatingBlockSource(
        upstream: source, compression: options.compression, file: file, workers: workers,
        inflation: options.limits.inflation)
    }
    if options.encoding != .utf8 {
      source = TranscodingBlockSource(upstream: source, encoding: options.encoding, file: file)
    }
    return source
  }
}
