import SQLite

@testable import SQLitePages

/// How the file of a random test is laid out.
struct FileForm: CustomStringConvertible, Sendable {
  let seed: UInt64
  let pageSize: Int
  let autoVacuum: Int
  var description: String { "pages of \(pageSize), auto-vacuum \(autoVacuum), seed \(seed)" }

  init(_ seed: Int, pageSizes: [Int] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]) {
    self.seed = UInt64(seed)
    pageSize = pageSizes[seed % pageSizes.count]
    autoVacuum = seed % 3 == 0 ? 0 : 2
  }

  /// What lays a new file out so.
  var pragmas: String { "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum);" }
}

extension TableTreeWriter {
  /// Writes a row whose first column is the row id.
  func append(_ id: Int64, _ values: [TestRecord.Value]) throws {
    let record = TestRecord.encode([.null] + values)
    try unsafe record.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { try unsafe append(rowID: id, payload: base, count: bytes.count) }
    }
  }
}

extension Statement {
  func bind(_ index: Int32, _ value: TestRecord.Value) throws {
    switch value {
    case .null: try bindNull(index)
    case .integer(let value): try bind(index, value)
    case .real(let value): try bind(index, value)
    case .text(let value): try bind(index, value)
    case .blob(let value): try bind(index, blob: value)
    }
  }
}
