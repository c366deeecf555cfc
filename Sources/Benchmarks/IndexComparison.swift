import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Bounding boxes over posts with latitude and longitude: with an R-tree, with a compound index, and with none. Each is
/// a store of its own making with the same rows.
struct IndexComparison {
  /// How boxes are answered.
  enum Way: String, CaseIterable {
    case none = "no index"
    case compound = "compound index"
    case rTree = "R-tree"
  }

  /// One size of boxes, with the median milliseconds of a fetch in each way.
  struct Line {
    var name: String
    /// How many posts are in a box, on average.
    var found: Int
    var milliseconds: [Way: Double]
  }

  /// The measurements of one comparison.
  struct Result {
    var lines: [Line]
    /// Bytes of the file, and seconds that its rows took to be inserted.
    var stores: [Way: (bytes: Int, seconds: Double)]

    /// Two tables: a fetch in each way, and what each way costs.
    var markdown: String {
      let ways = Way.allCases
      var text = ["| box | posts in it | " + ways.map(\.rawValue).joined(separator: " | ") + " |"]
      text.append("|---|---:|" + ways.map { _ in "---:|" }.joined())
      for line in lines {
        let times = ways.map { String(format: "%.3f ms", line.milliseconds[$0] ?? .nan) }
        text.append("| \(line.name) | \(line.found) | " + times.joined(separator: " | ") + " |")
      }
      text += ["", "| | " + ways.map(\.rawValue).joined(separator: " | ") + " |"]
      text.append("|---|" + ways.map { _ in "---:|" }.joined())
      let sizes = ways.map { String(format: "%.1f MB", Double(stores[$0]?.bytes ?? 0) / 1e6) }
      let seconds = ways.map { String(format: "%.2f s", stores[$0]?.seconds ?? .nan) }
      text.append("| the file | " + sizes.joined(separator: " | ") + " |")
      text.append("| inserting all posts | " + seconds.joined(separator: " | ") + " |")
      return text.joined(separator: "\n")
    }
  }

  /// An answer is not that of the other ways, or a plan does not use the index.
  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  private static let sizes: [(name: String, degrees: Double, boxes: Int)] = [
    ("0.02°", 0.02, 100), ("0.2°", 0.2, 100), ("2°", 2, 20),
  ]
  private let rows: Int
  private let rounds: Int

  init(rows: Int, rounds: Int) {
    self.rows = rows
    self.rounds = rounds
  }

  func run() throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var stores: [Way: SQLiteStore] = [:]
    var result = Result(lines: [], stores: [:])
    for way in Way.allCases {
      let path = folder.appendingPathComponent("\(way).sqlite").path
      let store = try SQLiteStore.create(path: path, model: try Self.model(way))
      let (seconds, _) = try Pair.time { () throws -> Answer in
        try fill(store)
        return Answer()
      }
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      stores[way] = store
      result.stores[way] = (size ?? 0, seconds)
    }
    for size in Self.sizes { result.lines.append(try measure(size.name, size.degrees, size.boxes, stores)) }
    for store in stores.values { try store.close() }
    return result
  }

  private static func model(_ way: Way) throws -> ManagedObjectModel {
    var post = EntityDefinition("Post")
    post.attributes = [
      AttributeDefinition("latitude", .double), AttributeDefinition("longitude", .double),
      AttributeDefinition("title", .string),
    ]
    let kind: FetchIndexDefinition.Element.Kind = way == .rTree ? .rTree : .binary
    let elements = ["latitude", "longitude"].map {
      FetchIndexDefinition.Element(.property($0), kind: kind)
    }
    post.fetchIndexes = way == .none ? [] : [FetchIndexDefinition("byLocation", elements: elements)]
    return try ManagedObjectModel(entities: [post])
  }

  private static func post(_ store: SQLiteStore) throws -> Entity {
    guard let post = store.model["Post"] else { throw TransitQueries.MissingEntity() }
    return post
  }

  /// Numbers that are the same in every run: the steps of a linear congruence.
  private struct Sequence {
    private var state: UInt64 = 42

    mutating func next(_ range: ClosedRange<Double>) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Double(state >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
    }
  }

  private static let latitudes = 47.0...55.0
  private static let longitudes = 6.0...15.0

  private func fill(_ store: SQLiteStore) throws {
    let post = try Self.post(store)
    let columns: [RowBatch.Column] = [
      .init(.attribute("latitude"), .real), .init(.attribute("longitude"), .real), .init(.attribute("title"), .bytes),
    ]
    let batch = RowBatch(entity: post, columns: columns, capacity: 10_000)
    var numbers = Sequence()
    var key: Int64 = 0
    while key < Int64(rows) {
      batch.removeAll()
      var keys: [Int64] = []
      while batch.count < batch.capacity, key < Int64(rows) {
        let row = batch.count
        key += 1
        keys.append(key)
        // Safety: `row` is under the capacity, as the loop says, and the batch has these three columns.
        for column in 0..<3 { unsafe batch.states[column][row] = RowBatch.State.value.rawValue }
        unsafe batch.reals(0)[row] = numbers.next(Self.latitudes)
        unsafe batch.reals(1)[row] = numbers.next(Self.longitudes)
        var title = "Post \(key)"
        title.withUTF8 { text in
          if let base = text.baseAddress {
            unsafe batch.slices(2)[row] = batch.append(UnsafeRawPointer(base), count: text.count)
          }
        }
        batch.count += 1
      }
      try unsafe keys.withUnsafeBufferPointer { unsafe try store.insert(batch, primaryKeys: $0) }
    }
  }

  private func measure(
    _ name: String, _ degrees: Double, _ boxes: Int, _ stores: [Way: SQLiteStore]
  ) throws -> Line {
    var numbers = Sequence()
    let corners = (0..<boxes).map { _ in
      (
        south: numbers.next(Self.latitudes.lowerBound...Self.latitudes.upperBound - degrees),
        west: numbers.next(Self.longitudes.lowerBound...Self.longitudes.upperBound - degrees)
      )
    }
    var requests: [Way: [FetchSpecification]] = [:]
    for (way, store) in stores {
      let post = try Self.post(store)
      requests[way] = try corners.map { corner in
        var request = FetchSpecification(post)
        request.predicate = try Self.predicate(
          way, corner.south...corner.south + degrees, corner.west...corner.west + degrees)
        return request
      }
      try Self.requirePlan(store, way, requests[way]?[0])
    }
    var times: [Way: [Double]] = [:]
    var expected: Answer?
    // The first round is not counted.
    for round in 0...rounds {
      for way in Way.allCases {
        guard let store = stores[way], let requests = requests[way] else { continue }
        let (seconds, answer) = try Pair.time {
          var answer = Answer()
          for request in requests {
            for block in try store.snapshotBlocks(request) {
              for snapshot in block.snapshots {
                answer.rows += 1
                answer.keys += snapshot.objectID.primaryKey ?? 0
              }
            }
          }
          return answer
        }
        if let expected, expected != answer {
          throw WrongAnswer(name: "\(name), \(way.rawValue)", expected: expected, found: answer)
        }
        expected = answer
        if round > 0 { times[way, default: []].append(seconds * 1_000 / Double(boxes)) }
      }
    }
    return Line(
      name: name, found: (expected?.rows ?? 0) / boxes, milliseconds: times.mapValues { Pair.median($0) })
  }

  private static func predicate(
    _ way: Way, _ latitudes: ClosedRange<Double>, _ longitudes: ClosedRange<Double>
  ) throws -> FetchPredicate {
    let arguments: [(any PredicateArgument)?] = [
      latitudes.lowerBound, latitudes.upperBound, longitudes.lowerBound, longitudes.upperBound,
    ]
    let format =
      way == .rTree
      ? "indexed:by:(latitude, 'byLocation') BETWEEN {%@, %@} AND indexed:by:(longitude, 'byLocation') BETWEEN {%@, %@}"
      : "latitude BETWEEN {%@, %@} AND longitude BETWEEN {%@, %@}"
    return try FetchPredicate(parsing: format, arguments: arguments)
  }

  private static func requirePlan(_ store: SQLiteStore, _ way: Way, _ request: FetchSpecification?) throws {
    guard let request else { return }
    let plan = try store.explanation(of: request).plan.joined(separator: "\n")
    let isAsMeant =
      switch way {
      case .none: plan.contains("SCAN")
      case .compound: plan.contains("USING INDEX Z_Post_byLocation")
      case .rTree: plan.contains("VIRTUAL TABLE INDEX")
      }
    if !isAsMeant { throw Mistake(description: "\(way.rawValue) is not used:\n\(plan)") }
  }
}
