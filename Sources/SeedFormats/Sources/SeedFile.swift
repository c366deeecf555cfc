/// Opens seeds: plain files, compressed ones, members of archives, and standard input.
public enum SeedFile {
  /// The text of a file as UTF-8: read, inflated and transcoded as the options say.
  /// - Parameter path: `-` is standard input; `feed.zip!stops.txt` and `feed.zip` are as `SeedPlace` has them.
  public static func open(path: String, options: FormatOptions) throws(SeedFormatError) -> any BlockSource {
    var directories = ZipDirectories()
    return try open(path: path, options: options, directories: &directories)
  }

  /// The text of one of several files.
  /// - Parameter directories: of the archives that paths before this one named.
  package static func open(
    path: String, options: FormatOptions, directories: inout ZipDirectories
  ) throws(SeedFormatError) -> any BlockSource {
    let place = try SeedPlace(path: path, directories: &directories)
    return decoded(try place.bytes(), member: place.member, options: options, file: path)
  }

  /// The text of compressed or encoded bytes as UTF-8. What is no text by its first bytes, such as an archive, is
  /// refused with `source.kind`.
  /// - Parameters:
  ///   - member: the member of a zip archive whose bytes they are.
  ///   - notices: gets oddities of the text.
  public static func decoded(
    _ source: any BlockSource, member: ZipArchive.Member? = nil, options: FormatOptions, file: String? = nil,
    notices: TextNotices? = nil
  ) -> any BlockSource {
    var source = source
    if let member {
      source = ZipMemberSource(
        upstream: source, member: member, inflation: options.limits.inflation, file: file)
    }
    if options.compression != .none {
      source = InflatingBlockSource(
        upstream: source, compression: options.compression, file: file,
        inflation: options.limits.inflation)
    }
    if !options.isPropertyList {
      source = KindCheckingBlockSource(
        upstream: source, refusesWideText: options.encoding == .automatic || options.encoding == .utf8, file: file)
    }
    if options.encoding != .utf8 {
      source = TranscodingBlockSource(upstream: source, encoding: options.encoding, file: file, notices: notices)
    }
    if options.isPropertyList, options.format == .json {
      source = PropertyListSource(upstream: source, pointer: options.pointer, limits: options.limits, file: file)
    } else if options.isLenient, options.format != .csv {
      source = LenientJSONSource(upstream: source, holdLimit: options.limits.recordBytes, file: file)
    }
    if let field = options.keyedBy, options.format == .json {
      source = KeyedObjectSource(
        upstream: source, pointer: options.pointer, field: field, recordLimit: options.limits.recordBytes, file: file)
    }
    return source
  }
}
