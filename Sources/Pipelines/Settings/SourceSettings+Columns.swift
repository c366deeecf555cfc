import SeedFormats

extension SourceSettings {
  /// The columns of a source's first file; none where the format has none.
  package func columns(in files: [SourceFile]) throws(RunError) -> Set<String> {
    var columns: Set<String> = []
    if format == .csv || format == .tsv, let file = files.first {
      do {
        let options = formatOptions
        let bytes = try SeedFile.open(path: file.path, options: options)
        columns = Set(try RecordReader(source: bytes, options: options, projection: [], file: file.name).columns)
      } catch {
        var error = error
        if error.file == file.path { error.file = file.name }
        throw RunError(error)
      }
    }
    return columns
  }
}
