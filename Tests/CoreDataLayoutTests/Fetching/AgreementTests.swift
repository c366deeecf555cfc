import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// What both stores must answer alike and random requests hit seldom.
@Suite("Both stores agree at the edges")
struct AgreementTests {
  private let folder: TemporaryFolder
  private let stores: [any PersistentStore]
  private let staff: Entity

  init() throws {
    folder = try TemporaryFolder()
    var staff = EntityDefinition("Staff")
    staff.attributes = [
      AttributeDefinition("name", .string), AttributeDefinition("salary", .integer64),
      AttributeDefinition("price", .decimal), AttributeDefinition("active", .boolean),
      AttributeDefinition("born", .date), AttributeDefinition("photo", .binary),
      AttributeDefinition("mood", .string), AttributeDefinition("place", .composite),
    ]
    staff.attributes[5].allowsExternalBinaryDataStorage = true
    staff.attributes[6].isTransient = true
    staff.attributes[7].composite = AttributeDefinition.CompositeReference(
      name: "Place",
      elements: [
        AttributeDefinition("street", .string), AttributeDefinition("area", .composite), .init("cache", .date),
      ])
    staff.attributes[7].composite?.elements[1].composite = AttributeDefinition.CompositeReference(
      name: "Area", elements: [AttributeDefinition("size", .double)])
    staff.attributes[7].composite?.elements[2].isTransient = true
    let model = try ManagedObjectModel(entities: [staff])
    self.staff = try model.required("Staff")
    stores = [
      try SQLiteStore.create(path: folder.path("staff.sqlite"), model: model), InMemoryStore(model: model),
    ]
    let salaries: [Int64] = [200, 100, 300, 100, 0, 7]
    let prices = ["100", "1.5", "0.1", "9007199254740993", "100", "12345678901234567890"]
    // Beyond the size from which a value lies in a file of its own.
    let photos = [Data(repeating: 1, count: 200_000), Data([2]), Data(repeating: 1, count: 200_000)]
    for store in stores {
      var request = SaveRequest()
      _ = try store.reservePrimaryKeys(6, for: self.staff)
      for (index, salary) in salaries.enumerated() {
        let values: [String: Value] = [
          "name": .string(index % 2 == 0 ? "a" : "b"), "salary": .integer(salary), "active": .boolean(index > 2),
          "price": .decimal(try #require(Decimal(string: prices[index]))),
          "born": .date(Date(timeIntervalSinceReferenceDate: Double(index))),
          "photo": index < photos.count ? .data(photos[index]) : .null,
        ]
        let id = store.id(of: self.staff, Int64(index + 1))
        request.inserted.append(
          Snapshot(
            objectID: id, version: 1, attributes: self.staff.attributes.map { values[$0.name] ?? .null }, toOne: []))
      }
      try store.save(request)
    }
  }

  /// What each store says, or that it refuses.
  private func keys(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> [[Int64]] {
    try stores.map { store in
      var request = FetchSpecification(staff)
      request.predicate = try FetchPredicate(parsing: format, arguments: arguments)
      return try store.snapshots(request).compactMap(\.objectID.primaryKey)
    }
  }

  private func cells(_ change: (inout FetchSpecification) throws -> Void) throws -> [[[ExpressionValue]]] {
    try stores.map { store in
      var request = FetchSpecification(staff)
      request.resultType = .dictionaries
      try change(&request)
      let rows = try store.rows(request)
      return rows.indices.map { row in rows.columns.indices.map { rows[row, $0] } }
    }
  }

  private static let distinctCases: [(format: String, value: Value)] = [
    ("count:(distinct:(salary))", .integer(5)), ("sum:(distinct:(salary))", .integer(607)),
    ("average:(distinct:(salary))", .double(121.4)), ("max:(distinct:(salary))", .integer(300)),
    ("median:(distinct:(salary))", .double(100)), ("count:(distinct:(SELF))", .integer(6)),
    ("count:(distinct:(name))", .integer(2)), ("sum:(distinct:(salary * 1.0))", .double(607)),
    ("count:(distinct:(photo))", .integer(2)), ("count:(mode:(salary))", .integer(1)),
    ("@distinctUnionOfObjects.salary.@count", .integer(5)), ("@unionOfObjects.salary.@sum", .integer(707)),
  ]

  @Test("distinct: works on the rows of the group", arguments: distinctCases)
  func distinct(format: String, value: Value) throws {
    let found = try cells {
      $0.propertiesToFetch = [FetchedExpression("n", try FetchExpression(parsing: format))]
    }
    #expect(found == [[[.value(value)]], [[.value(value)]]])
  }

  @Test("distinct: works on the rows of each group, and in the having predicate")
  func distinctGroups() throws {
    let found = try cells {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["name"]),
        FetchedExpression("n", try FetchExpression(parsing: "count:(distinct:(salary))")),
      ]
      $0.propertiesToGroupBy = [["name"]]
      $0.havingPredicate = try FetchPredicate(parsing: "count:(distinct:(salary)) < 3")
    }
    let expected: [[ExpressionValue]] = [[.value(.string("b")), .value(.integer(2))]]
    #expect(found == [expected, expected])
  }

  @Test("decimals compare as SQLite keeps them, and what is no number is missing")
  func numbers() throws {
    let close = try #require(Decimal(string: "100.00000000000000000001"))
    #expect(try keys("salary == %@", close) == [[2, 4], [2, 4]])
    #expect(try keys("price == %@", close) == [[1, 5], [1, 5]])
    #expect(try keys("price == %@", Decimal(string: "12345678901234567891")) == [[6], [6]])
    #expect(try keys("price == 9007199254740993") == [[4], [4]])
    #expect(try keys("price == 9007199254740992") == [[], []])
    #expect(try keys("price == %@", Decimal.nan) == [[], []])
    #expect(try keys("price != %@", Decimal.nan) == [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]])
    #expect(try keys("photo == %@", Date(timeIntervalSinceReferenceDate: .nan)) == [[4, 5, 6], [4, 5, 6]])
    #expect(try keys("born IN {%@, 3}", Date(timeIntervalSinceReferenceDate: .nan)) == [[4], [4]])
    #expect(try keys("born < %@", Date(timeIntervalSinceReferenceDate: -.infinity)) == [[], []])
    #expect(try keys("born + %@ == nil", Date(timeIntervalSinceReferenceDate: .nan)).allSatisfy { $0.count == 6 })
  }

  @Test("a template finds what its predicate says with the variables replaced")
  func template() throws {
    var template = FetchRequestTemplate(
      "paid", entityName: "Staff", predicate: "salary IN $SALARIES AND name == $NAME AND price < $PRICE")
    template.fetchLimit = 2
    for store in stores {
      let request = try FetchSpecification(
        template: template, model: staff.model,
        variables: ["SALARIES": [200, 100, 0, 300], "NAME": "a", "PRICE": Decimal(1_000)])
      #expect(try store.snapshots(request).map(\.objectID.primaryKey) == [1, 3])
      let open = try FetchSpecification(template: template, model: staff.model, variables: ["NAME": nil])
      #expect(throws: StoreError.self) { try store.snapshots(open) }
    }
  }

  @Test(
    "a composite attribute is asked for by its elements: itself but for being nil, and elements that it does not have, are refused"
  )
  func composite() throws {
    for (path, message) in [
      ("place", "Staff.place is composite: a request asks for its elements, such as Staff.place.street"),
      ("place.area", "Staff.place.area is composite"), ("place.town", "Staff.place has no element"),
      ("place.street.x", "Staff.place.street is no composite: it has no element"),
      ("place.cache", "Staff.place.cache is transient"), ("place.area.size.x", "is no composite"),
    ] {
      let keyPath = path.split(separator: ".").map(String.init)
      for store in stores {
        var asking = FetchSpecification(staff)
        asking.predicate = try FetchPredicate(parsing: "%K == 'x'", path)
        var general = FetchSpecification(staff)
        general.predicate = try FetchPredicate(parsing: "%K IN {name, 'x'}", path)
        var sorting = FetchSpecification(staff)
        sorting.sortDescriptors = [.init(keyPath)]
        for request in [asking, general, sorting] {
          #expect { try store.snapshots(request) } throws: { "\($0)".contains(message) }
        }
      }
    }
  }

  @Test("elements of composites in predicates, sorts, dictionaries and groups")
  func elements() throws {
    for store in stores {
      var request = SaveRequest()
      for (key, place) in [
        (1, ["street": .string("Oak"), "area": .composite(["size": .double(4)])]),
        (2, ["street": .string("Elm")]), (3, ["area": .composite(["size": .double(9), "name": .null])]),
        (4, ["street": .null, "area": .composite([:])]),
      ] as [(Int64, [String: Value])] {
        let id = store.id(of: staff, key)
        var row = try #require(try store.snapshots(all { $0.predicate = .selfIsIn([id]) }).first)
        row.attributes[try #require(staff.attributes.firstIndex { $0.name == "place" })] = .composite(place)
        request.updated.append(row)
      }
      try store.save(request)
    }
    #expect(try keys("place.street == 'Oak'") == [[1], [1]])
    #expect(try keys("place.street BEGINSWITH[c] 'e' OR place.area.size > 4") == [[2, 3], [2, 3]])
    #expect(try keys("place.street == nil AND place.area.size == nil") == [[4, 5, 6], [4, 5, 6]])
    #expect(try keys("place.street.length == 3 AND place.area.size + 1 == 5") == [[1], [1]])
    #expect(try keys("place.street IN {'Elm', 'Oak'} AND place.street.lowercaseString == 'elm'") == [[2], [2]])
    #expect(try keys("SELF.place.street == 'Oak'") == [[1], [1]])
    for store in stores {
      let sorted = all { $0.sortDescriptors = [.init(["place", "area", "size"], ascending: false), .init(["name"])] }
      #expect(try store.snapshots(sorted).prefix(3).map(\.objectID.primaryKey) == [3, 1, 5])
      // Rows come back in the normal form: without elements that are null.
      let place = try #require(staff.attributes.firstIndex { $0.name == "place" })
      #expect(
        try store.snapshots(all { $0.sortDescriptors = [] }).prefix(4).map { $0.attributes[place] } == [
          .composite(["street": .string("Oak"), "area": .composite(["size": .double(4)])]),
          .composite(["street": .string("Elm")]), .composite(["area": .composite(["size": .double(9)])]), .null,
        ])
    }
    let columns = try cells {
      $0.propertiesToFetch = [
        FetchedExpression("p", .keyPath(["place"])), FetchedExpression(keyPath: ["name"]),
      ]
      $0.fetchLimit = 1
    }
    #expect(columns[0] == [[.value(.double(4)), .value(.string("Oak")), .value(.string("a"))]])
    #expect(columns[0] == columns[1])
    let groups = try cells {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["place"]),
        FetchedExpression("n", try FetchExpression(parsing: "@count")),
      ]
      $0.propertiesToGroupBy = [["place"]]
      $0.sortDescriptors = [.init(["n"]), .init(["place", "area", "size"])]
    }
    #expect(groups[0].map { $0[2] } == [1, 1, 1, 3].map { .value(.integer($0)) })
    #expect(groups[0] == groups[1])
    for store in stores {
      let names = try store.rows(all { $0.resultType = .dictionaries }).columns
      #expect(names.contains("place.street") && names.contains("place.area.size") && !names.contains("place"))
    }
  }

  private func all(_ change: (inout FetchSpecification) -> Void) -> FetchSpecification {
    var request = FetchSpecification(staff)
    change(&request)
    return request
  }

  @Test("a transient attribute is refused, and an object in memory may be asked for it")
  func transient() throws {
    for store in stores {
      var request = FetchSpecification(staff)
      for format in ["mood == 'x'", "mood == nil", "mood IN {'x'}", "uppercase:(mood) == 'X'"] {
        request.predicate = try FetchPredicate(parsing: format)
        #expect(throws: StoreError.self, "\(format)") { try store.snapshots(request) }
        #expect(throws: StoreError.self, "\(format)") { try store.count(request) }
      }
      request.predicate = .all
      request.sortDescriptors = [.init(["mood"])]
      #expect(throws: StoreError.self) { try store.objectIDs(request) }
    }
    #expect(
      try FetchPredicate(parsing: "mood == 'x'").evaluate(
        with: Moody(objectID: ObjectID(entity: staff, reference: .temporary(UUID())))))
  }

  @Test("values that may lie outside of the store are compared in memory")
  func external() throws {
    let large = Data(repeating: 1, count: 200_000)
    #expect(try keys("photo == %@", large) == [[1, 3], [1, 3]])
    #expect(try keys("photo != %@ AND salary > 0", large) == [[2, 4, 6], [2, 4, 6]])
    #expect(try keys("photo IN %@ OR salary == 7", [Data([2])]) == [[2, 6], [2, 6]])
    #expect(try keys("TERNARY(salary > 0, photo, nil) == %@", large) == [[1, 3], [1, 3]])
    #expect(try keys("photo == nil") == [[4, 5, 6], [4, 5, 6]])
    let grouped = try cells {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["photo"]),
        FetchedExpression("n", try FetchExpression(parsing: "@count")),
      ]
      $0.propertiesToGroupBy = [["photo"]]
    }
    #expect(grouped[0].map { $0[1] } == [.value(.integer(3)), .value(.integer(2)), .value(.integer(1))])
    #expect(grouped[0] == grouped[1])
    for store in stores {
      var request = FetchSpecification(staff)
      request.sortDescriptors = [.init(["photo"])]
      #expect(throws: StoreError.self) { try store.snapshots(request) }
    }
  }

  private static let castCases: [(format: String, value: Value)] = [
    ("CAST(price, 'NSNumber')", .decimal(100)), ("CAST(active, 'NSNumber')", .boolean(false)),
    ("CAST(salary, 'NSNumber')", .integer(200)), ("CAST(born, 'NSNumber')", .double(0)),
    ("CAST(salary, 'NSDecimalNumber')", .decimal(200)), ("CAST(active, 'NSDecimalNumber')", .decimal(0)),
    ("CAST(price, 'NSDecimalNumber')", .decimal(100)), ("CAST(salary * 0.5, 'NSDecimalNumber')", .decimal(100)),
    ("CAST(salary, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 200))),
    ("CAST(CAST(price, 'NSNumber'), 'NSString')", .string("100")), ("CAST(price, 'NSNumber') / 8", .double(12.5)),
  ]

  @Test("casts in dictionaries give values of one kind", arguments: castCases)
  func casts(format: String, value: Value) throws {
    let found = try cells {
      $0.propertiesToFetch = [FetchedExpression("v", try FetchExpression(parsing: format))]
      $0.fetchLimit = 1
    }
    #expect(found == [[[.value(value)]], [[.value(value)]]])
  }
}

/// An object that is nowhere stored.
private struct Moody: PredicateSubject {
  let objectID: ObjectID
  func value(at keyPath: FetchPredicate.KeyPath) -> Value { keyPath == ["mood"] ? .string("x") : .null }
  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? { nil }
  func members(of relationship: String) -> [ObjectID] { [] }
  func subject(for objectID: ObjectID) -> Moody? { nil }
}
