import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport

/// Random saves, made once and applied to several stores, which know the same objects by keys of their own.
struct RandomMuseum {
  /// An object as all stores should have it, apart from to-many relationships.
  struct Piece {
    var entity: String
    var values: [String: Value]
    /// To-one relationship → code of the destination.
    var destinations: [String: String] = [:]
  }

  /// One save.
  struct Change {
    var inserted: [String] = []
    var updated: [String] = []
    var deleted: [String] = []
    var toMany: [(owner: String, relationship: String, members: [String])] = []
    /// The objects after the save.
    var pieces: [String: Piece] = [:]
  }

  private(set) var pieces: [String: Piece] = [:]
  private var count = 0
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private static let texts = [
    "", " ", "plain", "a,b", "say \"no\"", "line\nend", "cr\r\nlf", "\ttab\t", "<&>]]>", "caf\u{E9}", "cafe\u{301}",
    "[1]", "null", "\u{1F600}", "\\u3c", "'",
  ]

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func codes(_ entities: Set<String>) -> [String] {
    pieces.filter { entities.contains($0.value.entity) }.keys.sorted().shuffled(using: &random)
  }

  private static let works: Set = ["Work", "Painting"]

  private mutating func workValues(_ entity: String) -> [String: Value] {
    let all: [String: Value] = [
      "title": .string(Self.texts.randomElement(using: &random) ?? ""),
      "small": .integer(Int64(Int16.random(in: .min ... .max, using: &random))),
      "medium": .integer(Int64(Int32.random(in: .min ... .max, using: &random))),
      "large": .integer(Int64.random(in: .min ... .max, using: &random)),
      "ratio": .double(Double.random(in: -1e9...1e9, using: &random)),
      "weight": .double(Double(Float.random(in: 0...1, using: &random))),
      "price": .decimal(Decimal(Int.random(in: -9_999...9_999, using: &random)) / 100),
      "isShown": .boolean(Bool.random(using: &random)),
      "made": .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))),
      "image": .data(
        Data((0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })),
      "token": .uuid(
        UUID(uuidString: "00000000-0000-4000-8000-0000000000\(Int.random(in: 10...99, using: &random))") ?? UUID()),
      "link": .uri(
        URL(string: "https://example.org/a?b=c%20d&n=\(Int.random(in: 0..<9, using: &random))") ?? URL(filePath: "/")),
      "extra": .data(Data("extra".utf8)),
      "technique": .string("oil"),
      // Quarters add up exactly in any order.
      "quarters": .double(Double(Int.random(in: -99...99, using: &random)) / 4),
    ]
    // In the order of the names, so that the same seed gives the same values.
    let kept = all.keys.sorted().filter { name in (entity == "Painting" || name != "technique") && !chance(4) }
    return all.filter { name, _ in kept.contains(name) }
  }

  private mutating func relate(_ piece: inout Piece) {
    if Self.works.contains(piece.entity) {
      piece.destinations["artist"] = chance(4) ? nil : codes(["Artist"]).first
      piece.destinations["room"] = chance(4) ? nil : codes(["Room"]).first
    } else if piece.entity == "Artist" {
      piece.destinations["favourite"] = chance(3) ? nil : codes(Self.works).first
    }
  }

  /// The next random save.
  mutating func next() -> Change {
    var change = Change()
    var changed = Set<String>()
    for code in codes(["Work", "Painting", "Artist", "Tag", "Room"]).prefix(Int.random(in: 0..<3, using: &random)) {
      pieces[code] = nil
      change.deleted.append(code)
    }
    for (code, piece) in pieces {
      for (name, destination) in piece.destinations where pieces[destination] == nil {
        pieces[code]?.destinations[name] = nil
        changed.insert(code)
      }
    }
    for code in codes(["Work", "Painting", "Artist"]).prefix(Int.random(in: 0..<5, using: &random)) {
      guard var piece = pieces[code] else { continue }
      if Self.works.contains(piece.entity) {
        piece.values = workValues(piece.entity)
        piece.values["code"] = .string(code)
      }
      relate(&piece)
      pieces[code] = piece
      changed.insert(code)
    }
    change.updated = changed.sorted()
    for _ in 0..<Int.random(in: 1..<6, using: &random) {
      let entity = ["Work", "Painting", "Artist", "Tag", "Room"].randomElement(using: &random) ?? "Tag"
      count += 1
      let code = "\(entity.prefix(1))\(count),\"\(count % 3)\""
      var piece = Piece(entity: entity, values: Self.works.contains(entity) ? workValues(entity) : [:])
      piece.values["code"] = .string(code)
      relate(&piece)
      pieces[code] = piece
      change.inserted.append(code)
    }
    addLists(&change)
    change.pieces = pieces
    return change
  }

  private mutating func addLists(_ change: inout Change) {
    func some(_ codes: [String], _ random: inout SeededGenerator) -> [String] {
      codes.filter { _ in Bool.random(using: &random) }
    }
    // Of every artist: the order of members that no list mentions is the store's affair.
    for artist in codes(["Artist"]) {
      let works = codes(Self.works).filter { pieces[$0]?.destinations["artist"] == artist }
      change.toMany.append((artist, "works", works))
    }
    if let artist = codes(["Artist"]).first {
      change.toMany.append((artist, "friends", some(codes(["Artist"]), &random)))
    }
    if let work = codes(Self.works).first, chance(2) {
      change.toMany.append((work, "tags", some(codes(["Tag"]), &random)))
    } else if let tag = codes(["Tag"]).first {
      change.toMany.append((tag, "works", some(codes(Self.works), &random)))
    }
    if let room = codes(["Room"]).first { change.toMany.append((room, "signs", some(codes(["Tag"]), &random))) }
  }
}

extension RandomMuseum.Change {
  /// Writes the change into a store.
  func apply(to store: any PersistentStore) throws {
    var ids = try Portrait.ids(of: store)
    var request = SaveRequest()
    for code in inserted {
      guard let piece = pieces[code] else { continue }
      let entity = try store.model.required(piece.entity)
      let key = try store.reservePrimaryKeys(1, for: entity)
      ids[code] = store.id(of: entity, key)
    }
    for code in inserted + updated {
      guard let piece = pieces[code], let id = ids[code] else { continue }
      let snapshot = Snapshot(
        objectID: id, version: 1, attributes: id.entity.attributes.map { piece.values[$0.name] ?? .null },
        toOne: id.entity.relationships.map { piece.destinations[$0.name].flatMap { ids[$0] } })
      if inserted.contains(code) {
        request.inserted.append(snapshot)
      } else {
        var update = snapshot
        update.version = try version(of: id, in: store)
        request.updated.append(update)
      }
    }
    for code in deleted {
      guard let id = ids[code] else { continue }
      request.deleted.append((objectID: id, version: try version(of: id, in: store)))
    }
    for list in toMany {
      guard let owner = ids[list.owner] else { continue }
      request.toMany.append(
        SaveRequest.ToManyChange(
          owner: owner, relationshipName: list.relationship, members: list.members.compactMap { ids[$0] }))
    }
    try store.save(request)
  }

  private func version(of id: ObjectID, in store: any PersistentStore) throws -> Int64 {
    var fetch = FetchSpecification(id.entity)
    fetch.predicate = .selfIsIn([id])
    return try store.snapshots(fetch).first?.version ?? 0
  }
}

/// What a store holds, in words that do not depend on its keys.
enum Portrait {
  static func code(_ snapshot: Snapshot) -> String {
    let index = snapshot.objectID.entity.attributes.firstIndex { $0.name == "code" }
    if let index, case .string(let code) = snapshot.attributes[index] { return code }
    return "?"
  }

  static func snapshots(_ store: any PersistentStore) throws -> [Snapshot] {
    try store.model.entities.filter { $0.superentity == nil }.flatMap { try store.snapshots(FetchSpecification($0)) }
  }

  static func ids(of store: any PersistentStore) throws -> [String: ObjectID] {
    Dictionary(uniqueKeysWithValues: try snapshots(store).map { (code($0), $0.objectID) })
  }

  /// One line for each object, sorted.
  static func lines(_ store: any PersistentStore, without left: Set<String> = []) throws -> [String] {
    let snapshots = try snapshots(store)
    var codes: [ObjectID: String] = [:]
    for snapshot in snapshots { codes[snapshot.objectID] = code(snapshot) }
    func name(_ id: ObjectID) -> String { codes[id] ?? "gone" }
    return try snapshots.map { snapshot in
      let entity = snapshot.objectID.entity
      var line = "\(entity.name) \(code(snapshot)):"
      for (attribute, value) in zip(entity.attributes, snapshot.attributes)
      where value != .null && !left.contains(attribute.name) {
        line += " \(attribute.name)=\(text(value))"
      }
      for (relationship, destination) in zip(entity.relationships, snapshot.toOne) {
        if let destination { line += " \(relationship.name)->\(name(destination))" }
        guard relationship.isToMany else { continue }
        let members = try store.members(of: snapshot.objectID, relationship: relationship).map { name($0) }
        if !members.isEmpty { line += " \(relationship.name)=>\(relationship.isOrdered ? members : members.sorted())" }
      }
      return line
    }.sorted()
  }

  /// Texts that look alike must not pass for the same.
  private static func text(_ value: Value) -> String {
    if case .string(let text) = value { return text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
    if case .date(let date) = value { return "\(date.timeIntervalSinceReferenceDate)" }
    if case .data(let data) = value { return data.base64EncodedString() }
    return "\(value)"
  }
}
