import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface

/// The queries of the transit seeds, as fetches of a context and as bare prepared statements.
struct TransitQueries {
  private let path: String
  private let store: SQLiteStore
  private let container: PersistentContainer
  private let stop: Entity
  private let stopTime: Entity
  private let places: [Place]
  private static let queriesPerRound = 400

  private struct Place {
    var latitude: Double
    var longitude: Double
    var name: String
  }

  struct MissingEntity: Error {}

  init(storePath: String, model: ManagedObjectModel) throws {
    path = storePath
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    store = try SQLiteStore.open(path: storePath, model: model, options: options)
    container = try PersistentContainer(name: "benchmark", model: model, store: store)
    guard let stop = model["Stop"], let stopTime = model["StopTime"] else { throw MissingEntity() }
    self.stop = stop
    self.stopTime = stopTime
    let rows = try store.snapshots(FetchSpecification(stop))
    let step = max(rows.count / Self.queriesPerRound, 1)
    places = stride(from: 0, to: rows.count, by: step).prefix(Self.queriesPerRound).map { index in
      let values = Dictionary(uniqueKeysWithValues: zip(stop.attributes.map(\.name), rows[index].attributes))
      func number(_ name: String) -> Double { if case .double(let value)? = values[name] { value } else { 0 } }
      var text = ""
      if case .string(let value)? = values["normalizedName"] { text = value }
      return Place(latitude: number("latitude"), longitude: number("longitude"), name: text)
    }
  }

  private static let columns =
    "t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLOCATIONTYPE, t0.ZLONGITUDE, t0.ZNAME, "
    + "t0.ZNORMALIZEDNAME, t0.ZZONE, t0.ZPARENT"
  private static let box =
    "t0.ZLATITUDE >= ?1 AND t0.ZLATITUDE <= ?2 AND t0.ZLONGITUDE >= ?3 AND t0.ZLONGITUDE <= ?4"

  /// Every workload whose name has the given text in it, measured.
  func run(rounds: Int, named part: String?) throws -> [Pair] {
    var pairs: [Pair] = []
    for workload in workloads(rounds) where part.map({ workload.name.contains($0) }) ?? true {
      pairs.append(try workload.measure())
    }
    return pairs
  }

  private typealias Workload = (name: String, measure: () throws -> Pair)

  private func workloads(_ rounds: Int) -> [Workload] {
    [
      queries("box over stops, compound index", rounds, Self.box, bind: bindBox) { place in
        try FetchPredicate(parsing: Self.boxFormat, arguments: boxArguments(place))
      },
      queries(
        "box, and a departure in 20 minutes", rounds,
        Self.box + " AND EXISTS (SELECT 1 FROM ZSTOPTIME AS t1 WHERE t1.ZSTOP = t0.Z_PK AND t1.ZDEPARTURETIME >= ?5 "
          + "AND t1.ZDEPARTURETIME <= ?6)",
        bind: { statement, place in
          bindBox(statement, place)
          statement.bind(5, departure(place))
          statement.bind(6, departure(place) + 1_200)
        },
        predicate: { place in
          try FetchPredicate(
            parsing: Self.boxFormat
              + " AND SUBQUERY(stopTimes, $t, $t.departureTime >= %@ AND $t.departureTime <= %@).@count != 0",
            arguments: boxArguments(place) + [departure(place), departure(place) + 1_200])
        }),
      queries(
        "prefix of a normalised name", rounds, "t0.ZNORMALIZEDNAME >= ?1 AND t0.ZNORMALIZEDNAME < ?2",
        bind: { statement, place in
          let prefix = String(place.name.prefix(5))
          statement.bind(1, prefix)
          statement.bind(2, Self.successor(prefix))
        },
        predicate: { try FetchPredicate(parsing: "normalizedName BEGINSWITH[n] %@", String($0.name.prefix(5))) }),
      queries(
        "search terms by their beginning", rounds,
        "EXISTS (SELECT 1 FROM Z_2STOPS AS t2 JOIN ZSEARCHTERM AS t1 ON t1.Z_PK = t2.Z_2SEARCHTERMS "
          + "WHERE t2.Z_3STOPS = t0.Z_PK AND t1.ZTEXT >= ?1 AND t1.ZTEXT < ?2)",
        oneIn: 10,
        bind: { statement, place in
          let prefix = Self.word(place)
          statement.bind(1, prefix)
          statement.bind(2, Self.successor(prefix))
        },
        predicate: { try FetchPredicate(parsing: "ANY searchTerms.text BEGINSWITH[n] %@", Self.word($0)) }),
      objects(rounds), dictionaries(rounds), ids(rounds),
    ]
  }

  // MARK: - Queries

  private static let boxFormat = "latitude >= %@ AND latitude <= %@ AND longitude >= %@ AND longitude <= %@"

  private func bounds(_ place: Place) -> (south: Double, north: Double, west: Double, east: Double) {
    let height = 880 / 6_371_009.0 * 180 / .pi
    let width = height / cos(place.latitude * .pi / 180)
    return (place.latitude - height, place.latitude + height, place.longitude - width, place.longitude + width)
  }

  private func boxArguments(_ place: Place) -> [(any PredicateArgument)?] {
    let bounds = bounds(place)
    return [bounds.south, bounds.north, bounds.west, bounds.east]
  }

  private func bindBox(_ statement: BareStatement, _ place: Place) {
    let bounds = bounds(place)
    statement.bind(1, bounds.south)
    statement.bind(2, bounds.north)
    statement.bind(3, bounds.west)
    statement.bind(4, bounds.east)
  }

  private func departure(_ place: Place) -> Int64 { 21_600 + Int64(place.latitude * 1e6) % 50_000 }

  /// The beginning of the last word of a stop's name.
  private static func word(_ place: Place) -> String {
    place.name.split(separator: " ").last.map { String($0.prefix(3)) } ?? ""
  }

  private static func successor(_ prefix: String) -> String {
    guard let last = prefix.unicodeScalars.last, let next = Unicode.Scalar(last.value + 1) else { return prefix }
    return String(prefix.dropLast()) + String(Character(next))
  }

  /// Many small fetches, from the text of the predicate to the objects, against binding and stepping.
  private func queries(
    _ name: String, _ rounds: Int, _ condition: String, oneIn share: Int = 1,
    bind: @escaping (BareStatement, Place) -> Void,
    predicate: @escaping (Place) throws -> FetchPredicate
  ) -> Workload {
    let places = stride(from: 0, to: self.places.count, by: share).map { self.places[$0] }
    return (name, { try measureQueries(name, rounds, condition, places, bind: bind, predicate: predicate) })
  }

  private func measureQueries(
    _ name: String, _ rounds: Int, _ condition: String, _ places: [Place], bind: (BareStatement, Place) -> Void,
    predicate: @escaping (Place) throws -> FetchPredicate
  ) throws -> Pair {
    var pair = Pair(name: name, limit: 1.5)
    let statement = try BareStatement(
      path: path, sql: "SELECT \(Self.columns) FROM ZSTOP AS t0 WHERE \(condition) ORDER BY t0.Z_PK LIMIT 200")
    try pair.measure(
      rounds: rounds,
      bare: {
        var answer = Answer()
        for place in places {
          bind(statement, place)
          statement.drain(into: &answer)
        }
        answer.bytes = 0
        return answer
      },
      ours: {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
          var answer = Answer()
          for place in places {
            var request = FetchSpecification(stop)
            request.predicate = try predicate(place)
            request.fetchLimit = 200
            for object in try context.fetch(request) {
              answer.rows += 1
              answer.keys += object.objectID.primaryKey ?? 0
            }
          }
          return answer
        }
      })
    return pair
  }

  // MARK: - 100,000 rows

  private var manyRows: FetchSpecification {
    var request = FetchSpecification(stopTime)
    request.fetchLimit = 100_000
    return request
  }

  private static let stopTimeColumns =
    "t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZARRIVALTIME, t0.ZDEPARTURETIME, t0.ZDROPOFFKIND, t0.ZPICKUPKIND, t0.ZSEQUENCE, "
    + "t0.ZSTOP, t0.ZTRIP"

  private func many(
    _ name: String, _ limit: Double, _ rounds: Int, columns: String, ours: @escaping () throws -> Answer
  ) -> Workload {
    (name, { try measureMany(name, limit, rounds, columns: columns, ours: ours) })
  }

  private func measureMany(
    _ name: String, _ limit: Double, _ rounds: Int, columns: String, ours: @escaping () throws -> Answer
  ) throws -> Pair {
    var pair = Pair(name: name, limit: limit)
    let statement = try BareStatement(
      path: path, sql: "SELECT \(columns) FROM ZSTOPTIME AS t0 ORDER BY t0.Z_PK LIMIT 100000")
    try pair.measure(
      rounds: rounds,
      bare: {
        var answer = Answer()
        statement.drain(into: &answer)
        return answer
      }, ours: ours)
    return pair
  }

  private func objects(_ rounds: Int) -> Workload {
    many("100,000 rows as objects", 2.5, rounds, columns: Self.stopTimeColumns) {
      let context = container.newBackgroundContext()
      return try context.performAndWait {
        var request = manyRows
        request.returnsObjectsAsFaults = false
        var answer = Answer()
        for object in try context.fetch(request) {
          answer.rows += 1
          answer.keys += object.objectID.primaryKey ?? 0
        }
        return answer
      }
    }
  }

  private func dictionaries(_ rounds: Int) -> Workload {
    let names = ["arrivalTime", "departureTime", "dropOffKind", "pickupKind", "sequence", "stop", "trip"]
    return many("100,000 rows as dictionaries", 1.5, rounds, columns: Self.stopTimeColumns) {
      var request = manyRows
      request.resultType = .dictionaries
      request.propertiesToFetch =
        [FetchedExpression("id", .selfObject)] + names.map { FetchedExpression(keyPath: [$0]) }
      let rows = try store.rows(request)
      var answer = Answer()
      for row in rows.indices {
        answer.rows += 1
        if case .object(let id) = rows[row, 0] { answer.keys += id.primaryKey ?? 0 }
      }
      return answer
    }
  }

  private func ids(_ rounds: Int) -> Workload {
    many("100,000 rows as ids", 1.5, rounds, columns: "t0.Z_PK, t0.Z_ENT") {
      let ids = try store.objectIDs(manyRows)
      return Answer(rows: ids.count, keys: ids.reduce(0) { $0 + ($1.primaryKey ?? 0) })
    }
  }
}
