import Predicates

extension ResolvedDerivation {
  /// The function that SQLite calls for a text function.
  static func functionName(_ function: DerivationFormula.TextFunction) -> String { "seedbed_\(function.rawValue)" }

  /// The value of a row that the statement around it calls `t`. `now()` is parameter 1.
  var value: String {
    switch formula {
    case .now: return "?1"
    case .value(let joins, let column, let function):
      let name = "\(joins.isEmpty ? "t" : "h\(joins.count)").\(column)"
      let result = function.map { "\(Self.functionName($0))(\(name))" } ?? name
      guard let first = joins.first else { return result }
      let clauses = joins.indices.dropFirst().map { index in
        " JOIN \(joins[index].table) AS h\(index + 1) ON h\(index + 1).Z_PK = h\(index).\(joins[index].foreignKey)"
      }
      return "(SELECT \(result) FROM \(first.table) AS h1\(clauses.joined()) WHERE h1.Z_PK = t.\(first.foreignKey))"
    case .aggregate(let members, let membership, let result, let filter, _):
      let condition = filter.map { " AND (\($0))" } ?? ""
      switch membership {
      case .foreignKey(let key): return "(SELECT \(result) FROM \(members) AS m WHERE m.\(key) = t.Z_PK\(condition))"
      case .join(let table, let owner, let member):
        return "(SELECT \(result) FROM \(table) AS j JOIN \(members) AS m ON m.Z_PK = j.\(member) "
          + "WHERE j.\(owner) = t.Z_PK\(condition))"
      }
    }
  }

  /// Gives rows their value; those that have it already are not touched.
  /// - Parameter condition: which rows; all of the entity's when nil.
  package func refreshStatement(where condition: String? = nil) -> String {
    "UPDATE \(target.table) AS t SET \(target.name) = \(value) WHERE t.Z_ENT IN (\(numbers))"
      + (condition.map { " AND \($0)" } ?? "") + " AND t.\(target.name) IS NOT \(value)"
  }

  /// The changes that may change the value, with the rows concerned.
  var causes: [ChangeTrigger] {
    let table = target.table
    switch formula {
    case .now:
      // Every saved update raises the version counter.
      return [.init(table, .insert, "NEW.Z_PK"), .init(table, .update(["Z_OPT"]), "NEW.Z_PK")]
    case .value(let joins, let column, _):
      let first = joins.first?.foreignKey ?? column
      var result: [ChangeTrigger] = [
        .init(table, .insert, "NEW.Z_PK"), .init(table, .update([first]), "NEW.Z_PK"),
      ]
      for index in joins.indices {
        let next = index + 1 < joins.count ? joins[index + 1].foreignKey : column
        for event in [ChangeTrigger.Event.insert, .update([next]), .delete] {
          let row = event == .delete ? "OLD" : "NEW"
          let clauses = joins[..<index].enumerated().map { position, join in
            " JOIN \(join.table) AS h\(position + 1) ON h\(position + 1).Z_PK = "
              + "\(position == 0 ? "t" : "h\(position)").\(join.foreignKey)"
          }
          let last = index == 0 ? "t" : "h\(index)"
          result.append(
            .init(
              joins[index].table, event,
              keys: "SELECT t.Z_PK AS key FROM \(table) AS t\(clauses.joined()) "
                + "WHERE \(last).\(joins[index].foreignKey) = \(row).Z_PK"))
        }
      }
      return result
    case .aggregate(let members, let membership, _, _, let read):
      var result: [ChangeTrigger] = [.init(table, .insert, "NEW.Z_PK")]
      switch membership {
      case .foreignKey(let key):
        result += [
          .init(members, .insert, "NEW.\(key)"), .init(members, .delete, "OLD.\(key)"),
          .init(members, .update([key] + read), "OLD.\(key)"), .init(members, .update([key] + read), "NEW.\(key)"),
        ]
      case .join(let join, let owner, let member):
        result += [
          .init(join, .insert, "NEW.\(owner)"), .init(join, .delete, "OLD.\(owner)"),
          .init(join, .update([owner, member]), "OLD.\(owner)"), .init(join, .update([owner, member]), "NEW.\(owner)"),
        ]
        let owners = { (row: String) in "SELECT \(owner) AS key FROM \(join) WHERE \(member) = \(row).Z_PK" }
        result += [.init(members, .insert, keys: owners("NEW")), .init(members, .delete, keys: owners("OLD"))]
        if !read.isEmpty { result.append(.init(members, .update(read), keys: owners("NEW"))) }
      }
      return result
    }
  }
}

extension ResolvedDerivation {
  /// The changes that Core Data's own triggers for the derivation ignore: a value through a to-one relationship stays
  /// when the destination is deleted and the reference to it is not.
  var causesWithoutTrigger: [ChangeTrigger] {
    guard case .value(let joins, _, _) = formula, !joins.isEmpty else { return [] }
    return causes.filter { $0.event == .delete }
  }
}

/// A change of a table after which something has to be brought up to date.
struct ChangeTrigger: Hashable {
  enum Event: Hashable {
    case insert, delete
    /// A row got another value in one of these columns.
    case update([String])
  }
  var table: String
  var event: Event
  /// A SELECT of the primary keys concerned, as `key`, over `OLD` or `NEW`.
  var keys: String

  init(_ table: String, _ event: Event, keys: String) {
    self.table = table
    self.event = event
    self.keys = keys
  }

  /// A cause that concerns one row.
  init(_ table: String, _ event: Event, _ key: String) {
    self.init(table, event, keys: "SELECT \(key) AS key")
  }

  /// The start of a trigger for it.
  var eventText: String {
    switch event {
    case .insert: "AFTER INSERT ON \(table)"
    case .delete: "AFTER DELETE ON \(table)"
    case .update(let columns): "AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table)"
    }
  }
}
