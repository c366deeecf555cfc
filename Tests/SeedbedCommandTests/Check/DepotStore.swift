import CoreDataLayout
import Foundation
import ModelFiles
import SQLite

/// A store with every form of relationship and a row or two of everything, sound until a test forges it.
enum DepotStore {
  /// Entity numbers: Crate 1, Keeper 2, Label 3, Place 4, Depot 5, Shop 6.
  static let xml = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
    systemVersion="22G313" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
      <entity name="Crate" representedClassName="Crate" syncable="YES">
        <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        <relationship name="labels" optional="YES" toMany="YES" maxCount="2" deletionRule="Nullify" \
    destinationEntity="Label" inverseName="crates" inverseEntity="Label"/>
        <relationship name="place" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Place" \
    inverseName="crates" inverseEntity="Place"/>
      </entity>
      <entity name="Depot" representedClassName="Depot" parentEntity="Place" syncable="YES">
        <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" \
    inverseName="depot" inverseEntity="Keeper"/>
      </entity>
      <entity name="Keeper" representedClassName="Keeper" syncable="YES">
        <attribute name="badge" optional="YES" attributeType="UUID"/>
        <attribute name="since" optional="YES" attributeType="Date"/>
        <relationship name="depot" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Depot" \
    inverseName="keeper" inverseEntity="Depot"/>
        <relationship name="shop" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shop" \
    inverseName="keepers" inverseEntity="Shop"/>
      </entity>
      <entity name="Label" representedClassName="Label" syncable="YES">
        <attribute name="copies" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
        <attribute name="old" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
        <attribute name="rank" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
        <attribute name="text" attributeType="String"/>
        <relationship name="crates" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Crate" \
    inverseName="labels" inverseEntity="Crate"/>
        <relationship name="related" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Label" \
    inverseName="related" inverseEntity="Label"/>
      </entity>
      <entity name="Place" representedClassName="Place" isAbstract="YES" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="crates" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
    destinationEntity="Crate" inverseName="place" inverseEntity="Crate"/>
      </entity>
      <entity name="Shop" representedClassName="Shop" parentEntity="Place" syncable="YES">
        <attribute name="code" optional="YES" attributeType="String"/>
        <relationship name="keepers" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Keeper" \
    inverseName="shop" inverseEntity="Keeper"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """

  static let model = "Depot.xcdatamodel"
  static let store = "Depot.sqlite"

  private static let rows = """
    INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCODE, ZKEEPER) VALUES
      (1, 6, 1, 'a', 'A', NULL), (2, 5, 1, 'b', NULL, 1), (3, 6, 2, 'c', 'C', NULL);
    INSERT INTO ZKEEPER (Z_PK, Z_ENT, Z_OPT, ZDEPOT, ZSHOP, ZSINCE, ZBADGE) VALUES
      (1, 2, 1, 2, 1, 0.5, x'000102030405060708090A0B0C0D0E0F');
    INSERT INTO ZCRATE (Z_PK, Z_ENT, Z_OPT, ZPLACE, Z4_PLACE, Z_FOK_PLACE, ZWEIGHT, ZPHOTO) VALUES
      (1, 1, 1, 1, 6, 2048, 1.5, x'01AA'), (2, 1, 1, NULL, NULL, NULL, 2, NULL);
    INSERT INTO ZLABEL (Z_PK, Z_ENT, Z_OPT, ZCOPIES, ZOLD, ZRANK, ZTEXT) VALUES
      (1, 3, 1, 2147483647, 0, 32767, 'x'), (2, 3, 1, -2147483648, 1, -32768, 'y'), (3, 3, 1, NULL, NULL, NULL, 'z');
    INSERT INTO Z_1LABELS (Z_1CRATES, Z_3LABELS) VALUES (1, 1), (1, 2), (2, 1);
    INSERT INTO Z_3RELATED (Z_3RELATED, REFLEXIVE) VALUES (1, 2), (2, 1);
    UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT IN (1, 2, 3, 4);
    DELETE FROM Z_MODELCACHE;
    """

  /// The sound store's bytes, made once.
  static var bytes: [UInt8] { get throws { try made.get() } }

  private static let made = Result {
    let workspace = try Workspace()
    try workspace.write(model + "/contents", xml)
    let made = try SQLiteStore.create(path: workspace.path(store), model: ModelReader.read(path: workspace.path(model)))
    try made.seal()
    try workspace.execute(store, rows)
    return try workspace.bytes(store)
  }

  /// A workspace with the model and the store, which `forgery` was done to.
  static func workspace(_ forgery: String = "") throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(model + "/contents", xml)
    try workspace.write(store, bytes)
    guard !forgery.isEmpty else { return workspace }
    let connection = try Connection(path: workspace.path(store), options: .init(trustsSchema: true))
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute(forgery)
    try connection.close()
    return workspace
  }
}

/// What `check --json` says.
struct CheckReport: Decodable {
  struct Finding: Decodable {
    var code: String
    var table: String?
    var column: String?
    var count: Int?
    var examplePrimaryKey: Int?
    var message: String
    var advice: String?
  }
  struct Entity: Decodable {
    var name: String
    var matches: Bool
    var expected: String?
    var stored: String?
    var rows: Int?
    var unconfirmed: Bool
  }
  struct Difference: Decodable {
    var entity: String
    var kind: String
    var name: String?
    var affectsVersionHash: Bool
    var message: String
  }
  struct Migration: Decodable {
    var possible: Bool
    var obstacles: [String]
    var conditions: [String]
    var losses: [String]
  }
  var path: String
  var fit: Bool
  var answer: String
  var comparedWith: String
  var compatible: Bool
  var sound: Bool
  var rowsWereChecked: Bool
  var fitForReadOnlyBundle: Bool
  var journalMode: String
  var sidecars: [String]
  var uuid: String
  var frameworkVersion: Int?
  var digestMatches: Bool?
  var entities: [Entity]
  var differences: [Difference]?
  var lightweightMigration: Migration?
  var modelVersion: String?
  var madeWith: [String]
  var problems: [Finding]
  var warnings: [Finding]
  var notes: [Finding]
}

extension Workspace {
  /// Runs `check --json` and reads its answer, which is there for exit codes 0 and 65.
  func check(_ arguments: String...) async throws -> CheckReport {
    let outcome = try await Tool.run(["check", "--json"] + arguments, in: folder)
    guard let report = try? JSONDecoder().decode(CheckReport.self, from: Data(outcome.output)) else {
      throw UnexpectedFailure(outcome: outcome)
    }
    guard outcome.exitCode == (report.fit ? 0 : 65) else { throw UnexpectedFailure(outcome: outcome) }
    return report
  }
}
