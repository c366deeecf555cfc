import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

/// Derived attributes of every sort that is computed, against values worked out anew from what else is in the store.
@Suite("derived attributes")
struct LayoutDerivationTests {
  private static func derived(
    _ name: String, _ type: AttributeType, _ expression: String, filter: String? = nil
  ) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.derivation = .init(expression: expression, filteringPredicate: filter)
    return attribute
  }

  /// Customers with orders, which have lines of wares; wares and labels are many-to-many; VIPs are customers.
  private static func shop() throws -> ManagedObjectModel {
    var customer = EntityDefinition("Customer")
    customer.attributes = [
      .init("name", .string), derived("searchName", .string, "canonical:(name)"),
      derived("loudName", .string, "uppercase:(name)"), derived("quietName", .string, "lowercase: (name)"),
      derived("orderCount", .integer64, "orders.@count"), derived("spent", .double, "orders.@sum.total"),
      derived("savedAt", .date, "now()"),
    ]
    customer.relationships = [.init("orders", toMany: "Order", inverse: "customer")]
    var vip = EntityDefinition("VIP")
    vip.superentityName = "Customer"
    vip.attributes = [derived("largeOrders", .integer32, "count:(orders)", filter: "total >= 10 AND note != nil")]
    var order = EntityDefinition("Order")
    order.attributes = [
      .init("total", .double), .init("note", .string), derived("customerName", .string, "customer.name"),
      derived("customerKey", .string, "canonical:(customer.name)"),
    ]
    order.relationships = [
      .init("customer", toOne: "Customer", inverse: "orders"), .init("lines", toMany: "Line", inverse: "order"),
    ]
    var line = EntityDefinition("Line")
    line.attributes = [
      .init("count", .integer32), derived("buyer", .string, "order.customer.name"),
      derived("buyerCopy", .string, "buyer"),
    ]
    line.relationships = [.init("order", toOne: "Order", inverse: "lines")]
    var ware = EntityDefinition("Ware")
    ware.attributes = [.init("weight", .integer64), derived("labelCount", .integer16, "labels.@count")]
    ware.relationships = [.init("labels", toMany: "Label", inverse: "wares")]
    var label = EntityDefinition("Label")
    label.attributes = [derived("weight", .integer64, "sum:(wares.weight)")]
    label.relationships = [.init("wares", toMany: "Ware", inverse: "labels"), .init("parts", toMany: "Ware")]
    label.attributes.append(derived("partCount", .integer64, "count:(parts)"))
    return try ManagedObjectModel(entities: [customer, vip, order, line, ware, label])
  }

  /// What each derived column has to be, in SQL that says it another way than the engine does.
  private static let expectations: [(table: String, column: String, value: String)] = [
    ("ZCUSTOMER", "ZLOUDNAME", "upper(t.ZNAME)"), ("ZCUSTOMER", "ZQUIETNAME", "lower(t.ZNAME)"),
    ("ZCUSTOMER", "ZSEARCHNAME", "lower(t.ZNAME)"),
    ("ZCUSTOMER", "ZORDERCOUNT", "(SELECT count(*) FROM ZORDER WHERE ZCUSTOMER = t.Z_PK)"),
    ("ZCUSTOMER", "ZSPENT", "(SELECT total(ZTOTAL) FROM ZORDER WHERE ZCUSTOMER = t.Z_PK)"),
    ("ZCUSTOMER", "ZSAVEDAT", "1234.5"),
    (
      "ZCUSTOMER", "ZLARGEORDERS",
      """
      CASE t.Z_ENT WHEN 2 THEN (SELECT count(*) FROM ZORDER WHERE ZCUSTOMER = t.Z_PK AND ZTOTAL >= 10
        AND ZNOTE IS NOT NULL) END
      """
    ),
    ("ZORDER", "ZCUSTOMERNAME", "(SELECT ZNAME FROM ZCUSTOMER WHERE Z_PK = t.ZCUSTOMER)"),
    ("ZORDER", "ZCUSTOMERKEY", "(SELECT lower(ZNAME) FROM ZCUSTOMER WHERE Z_PK = t.ZCUSTOMER)"),
    (
      "ZLINE", "ZBUYER",
      "(SELECT ZNAME FROM ZCUSTOMER WHERE Z_PK = (SELECT ZCUSTOMER FROM ZORDER WHERE Z_PK = t.ZORDER))"
    ),
    ("ZLINE", "ZBUYERCOPY", "t.ZBUYER"),
    ("ZWARE", "ZLABELCOUNT", "(SELECT count(*) FROM Z_3WARES WHERE Z_6WARES = t.Z_PK)"),
    (
      "ZLABEL", "ZWEIGHT",
      "(SELECT coalesce(sum(ZWEIGHT), 0) FROM ZWARE WHERE Z_PK IN (SELECT Z_6WARES FROM Z_3WARES WHERE Z_3LABELS = t.Z_PK))"
    ),
    ("ZLABEL", "ZPARTCOUNT", "(SELECT count(*) FROM ZWARE WHERE Z3PARTS = t.Z_PK)"),
  ]

  private func verify(_ path: String, _ place: String) throws {
    let connection = try Connection(path: path)
    for (table, column, value) in Self.expectations {
      let wrong = try connection.integer("SELECT count(*) FROM \(table) AS t WHERE t.\(column) IS NOT \(value)")
      #expect(wrong == 0, "\(table).\(column) \(place)")
    }
  }

  @Test("the model's derivations are all computed, and say for which the triggers are not known")
  func layout() throws {
    let layout = StoreLayout(model: try Self.shop())
    #expect(layout.derivedAttributes.allSatisfy { $0.obstacle == nil })
    #expect(layout.derivedAttributes.count == 14)
    #expect(layout.triggers.map(\.attribute).sorted() == ["customerName", "orderCount"])
    #expect(layout.notes.filter { $0.contains("no triggers") }.count == 12)
  }

  @Test(
    "values follow random changes, written in bulk, in batches and by saves", arguments: [1, 2, 3] as [UInt64],
    [false, true])
  func randomChanges(seed: UInt64, defers: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let path = folder.path("shop.sqlite")
    var options = SQLiteStore.Options()
    options.derivationTimestamp = 1_234.5
    options.defersIndexes = defers
    let model = try Self.shop()
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    var shop = try RandomShop(store: store, model: model)
    for _ in 0..<6 { try shop.insertBatches(&random) }
    if defers { try store.buildDeferredIndexes() }
    try verify(path, "after inserts")
    for round in 0..<12 {
      try shop.change(&random)
      try verify(path, "after round \(round)")
    }
    try store.seal()
    try verify(path, "after sealing")
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)
  }

  @Test("a save does not write derived values from its snapshots, and canonical text is folded")
  func savesLeaveDerivedValues() throws {
    let folder = try TemporaryFolder()
    let model = try Self.shop()
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    let customer = try model.required("Customer")
    let key = try store.reservePrimaryKeys(1, for: customer)
    let id = store.id(of: customer, key)
    var values = [Value](repeating: .null, count: customer.attributes.count)
    for (index, attribute) in customer.attributes.enumerated() where attribute.type == .string {
      values[index] = .string("Zoë Ångström")
    }
    var request = SaveRequest()
    let toOne = [ObjectID?](repeating: nil, count: customer.relationships.count)
    request.inserted = [Snapshot(objectID: id, version: 1, attributes: values, toOne: toOne)]
    try store.save(request)
    func value(_ name: String) throws -> Value {
      let snapshot = try #require(try store.snapshots(FetchSpecification(customer)).first)
      return snapshot.attributes[try #require(customer.attributes.firstIndex { $0.name == name })]
    }
    #expect(try value("searchName") == .string("zoe angstrom"))
    #expect(try value("loudName") == .string("ZOË ÅNGSTRÖM"))
    #expect(try value("orderCount") == .integer(0))
    guard case .date(let saved) = try value("savedAt") else {
      Issue.record("now() gave no date")
      return
    }
    #expect(abs(saved.timeIntervalSinceNow) < 3_600)
    request = SaveRequest()
    request.updated = [Snapshot(objectID: id, version: 1, attributes: values, toOne: toOne)]
    try store.save(request)
    #expect(try value("searchName") == .string("zoe angstrom"))
    #expect(throws: StoreError.self) {
      try store.insert(makeBatch(customer, [.init(.attribute("orderCount"), .integer)], [[.integer(7)]]), keys: [2])
    }
    try store.close()
  }

  @Test(
    "what cannot be computed is named with its reason",
    arguments: [
      ("subquery", "books.@avg.pages", "the collection operator in books.@avg.pages is not known"),
      ("unknown", "titlecase:(label)", "the function titlecase of label is not known"),
      ("missing", "nothing.there", "Shelf has no stored attribute nothing.there"),
      ("toMany", "books.title", "Shelf.books is not a stored to-one relationship"),
      ("type", "label", "Shelf.label has another type"),
      ("circle", "circle", "it depends, by way of others, on a derived attribute that depends on itself"),
    ])
  func obstacles(name: String, expression: String, obstacle: String) throws {
    var shelf = EntityDefinition("Shelf")
    shelf.attributes = [.init("label", .string), Self.derived(name, .integer64, expression)]
    shelf.relationships = [.init("books", toMany: "Book", inverse: "shelf")]
    var book = EntityDefinition("Book")
    book.attributes = [.init("title", .string), .init("pages", .integer64)]
    book.relationships = [.init("shelf", toOne: "Shelf", inverse: "books")]
    let layout = StoreLayout(model: try ManagedObjectModel(entities: [shelf, book]))
    #expect(layout.derivedAttributes.map(\.obstacle) == [obstacle])
    #expect(layout.notes.contains { $0.contains(obstacle) })
  }

  @Test("a trigger of Apple's that calls an unknown function of Core Data's does not stand in the way")
  func unknownFunctions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Self.shop()
    try SQLiteStore.create(path: path, model: model).close()
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TRIGGER Z_DA_ZCUSTOMER_Customer_searchName_SOURCE_INSERT AFTER INSERT ON ZCUSTOMER FOR EACH ROW BEGIN
      UPDATE ZCUSTOMER SET ZSEARCHNAME = NSCoreDataSomeFunction(NEW.ZNAME, 1) WHERE Z_PK = NEW.Z_PK; END
      """)
    try connection.close()
    let store = try SQLiteStore.open(path: path, model: model)
    let customer = try model.required("Customer")
    try store.insert(makeBatch(customer, [.init(.attribute("name"), .bytes)], [[.text("ÉVE")]]), keys: [1])
    try store.close()
    #expect(try Connection(path: path).string("SELECT ZSEARCHNAME FROM ZCUSTOMER") == "eve")
  }
}
