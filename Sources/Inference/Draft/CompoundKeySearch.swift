import ObjectModel
import SeedFormats

/// Finds two or three columns that tell records apart together, where no column does alone.
///
/// A second look at the file, and a third one for three columns: only at combinations that have enough different values
/// for all records, and so few that chance would have made two records alike. The look ends when none is left.
struct CompoundKeySearch {
  /// How many of the columns that may be part of a key are tried in pairs, and in threes.
  private static let pairColumns = 8
  private static let tripleColumns = 6
  private static let enoughRecords = 50
  /// Most hashes that are kept at a time.
  static let hashLimit = 4 << 20

  let list: RecordList
  /// Opens the list's records for a projection.
  let reader: ([String]) throws -> RecordReader
  var hashLimit = Self.hashLimit

  private struct Trial {
    let columns: [Int]
    let combinations: Double
    var hashes: Set<UInt64> = []
  }

  /// The columns of the key, in the order of the file; nil when there is none, or it may be a coincidence.
  func columns() throws -> [ColumnProfile]? {
    // Blanks that are left out would be part of the values here.
    if list.form.trims { return nil }
    let fields = list.fields
    let decisions = fields.map { ColumnDecision($0, takesValues: true, isJSON: list.isJSON) }
    // One column alone is enough.
    guard list.count > 3, KeyChoice.key(of: list, decisions: Array(zip(fields, decisions))) == nil else { return nil }
    let complete = zip(fields, decisions).filter { column, decision in
      column.nulls == 0 && column.emptyTexts == 0 && column.count == list.count && !column.keys.isGivenUp
        && decision.nulls.isEmpty && Self.mayBePart(decision)
    }.map(\.0)
    // Beside a column that is no key and yet different everywhere, few records tell too little.
    guard list.count >= Self.enoughRecords || !complete.contains(where: \.keys.isUnique) else { return nil }
    let parts = complete.filter { !$0.keys.isUnique && $0.keys.hashes.count > 1 && $0.longest <= 64 }
    return try found(parts.prefix(Self.pairColumns), size: 2) ?? found(parts.prefix(Self.tripleColumns), size: 3)
  }

  /// Whether different texts are different values: `yes` and `TRUE` are one.
  private static func mayBePart(_ decision: ColumnDecision) -> Bool {
    switch decision.type {
    case .integer16, .integer32, .integer64, .string, .uuid, .date: decision.lost == nil
    case .boolean: decision.rewritten == nil && decision.lost == nil
    default: false
    }
  }

  private func found(_ columns: ArraySlice<ColumnProfile>, size: Int) throws -> [ColumnProfile]? {
    var trials = Self.choices(columns.count, size).map { choice in
      Trial(columns: choice, combinations: choice.reduce(1) { $0 * Double(columns[$1].keys.hashes.count) })
    }
    // Among n records with values by chance, none would be alike with the probability exp(-n²/2c).
    let count = Double(list.count)
    trials = trials.filter { $0.combinations >= count && count * count >= 10 * $0.combinations }
    trials.sort { $0.combinations < $1.combinations }
    guard !trials.isEmpty else { return nil }
    let reader = try reader(columns.map { list.isJSON ? "/" + JSONPointer.escaped($0.name) : $0.name })
    let batch = RecordBatch(fieldCount: columns.count)
    var values = Array(repeating: UInt64(0), count: columns.count)
    var room = hashLimit
    while try reader.next(batch) {
      for record in 0..<batch.count {
        for index in values.indices {
          // Safety: the bytes are hashed before the batch is filled again.
          unsafe values[index] = ColumnHashes.hash(batch.bytes(of: batch.field(index, ofRecord: record)))
        }
        for index in trials.indices.reversed() {
          let hash = trials[index].columns.reduce(0) { ColumnHashes.joined($0, values[$1]) }
          if room > 0, trials[index].hashes.insert(hash).inserted {
            room -= 1
          } else {
            room += trials[index].hashes.count
            trials.remove(at: index)
          }
        }
        if trials.isEmpty { return nil }
      }
    }
    return trials.first?.columns.map { columns[$0] }
  }

  /// All choices of some of the numbers below a count, each in order.
  private static func choices(_ count: Int, _ size: Int) -> [[Int]] {
    guard size > 0 else { return [[]] }
    return (0..<max(count, 0)).flatMap { last in choices(last, size - 1).map { $0 + [last] } }
  }
}

extension FileProfiler {
  /// Looks for columns of a list that tell its records apart together.
  func findCompoundKey(of list: RecordList) throws {
    let search = CompoundKeySearch(list: list) { projection in
      try file.stopIfCancelled()
      return try RecordReader(
        source: file.open(list.form.options), options: list.form.options, projection: projection, file: file.path)
    }
    list.noteCompoundKey(try search.columns() ?? [])
  }
}
