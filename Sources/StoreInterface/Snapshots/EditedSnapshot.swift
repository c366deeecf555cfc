public import ObjectModel

/// A packed row with new values for some attributes: the state of an object that was changed since it was read.
/// Unpacking the row would cost several times as much.
///
/// It is never changed after `init`.
@usableFromInline package final class EditedSnapshot: Sendable {
  /// The most edits; with more, the row is unpacked.
  package static let greatestCount = 4

  /// Where the row lies.
  package let block: SnapshotBlock
  private let row: Int
  private let first: (attribute: Int, value: Value)
  private let others: [(attribute: Int, value: Value)]

  /// - Parameter block: packed rows.
  package init(_ block: SnapshotBlock, _ row: Int, _ attribute: Int, _ value: Value) {
    self.block = block
    self.row = row
    first = (attribute, value)
    others = []
  }

  private init(_ block: SnapshotBlock, _ row: Int, _ edits: [(attribute: Int, value: Value)]) {
    self.block = block
    self.row = row
    first = edits[0]
    others = Array(edits.dropFirst())
  }

  /// The number of attributes with values of their own, at least one.
  package var count: Int { 1 + others.count }

  /// The same row with another value of an attribute; nil when it has its own values again.
  package func setting(_ attribute: Int, to value: Value) -> EditedSnapshot? {
    var edits = ([first] + others).filter { $0.attribute != attribute }
    if !block.has(value, at: row, attribute: attribute) { edits.append((attribute, value)) }
    return edits.isEmpty ? nil : EditedSnapshot(block, row, edits)
  }

  /// The new value of an attribute; nil where it has the row's value.
  package func edit(_ attribute: Int) -> Value? {
    if first.attribute == attribute { return first.value }
    return others.isEmpty ? nil : others.first { $0.attribute == attribute }?.value
  }

  /// The attributes with other values than those of the row.
  package var edits: PropertySet {
    var edits = PropertySet()
    edits.insert(attribute: first.attribute)
    for edit in others { edits.insert(attribute: edit.attribute) }
    return edits
  }

  /// Whether every value certainly breaks no rule; there is one for each.
  package func hasOnlyValues(acceptedBy rules: [AttributeValidator.PlainRule]) -> Bool {
    rules[first.attribute].accepts(first.value) && others.allSatisfy { rules[$0.attribute].accepts($0.value) }
      && block.hasOnlyValues(at: row, acceptedBy: rules, except: edits)
  }

  @usableFromInline package func value(_ attribute: Int) -> Value {
    edit(attribute) ?? block.value(at: row, attribute: attribute)
  }

  @usableFromInline package func destination(_ relationship: Int) -> ObjectID? {
    block.destination(at: row, relationship: relationship)
  }

  /// The values of all attributes.
  @usableFromInline package var attributes: [Value] {
    // A packed row has values of its own. Its `attributes` and `toOne` would lead here again: Swift 6.3 inlines that
    // into a coroutine that calls itself, and takes it for one that never returns.
    var values = block.snapshot(at: row).ownAttributes
    values[first.attribute] = first.value
    for edit in others { values[edit.attribute] = edit.value }
    return values
  }

  /// The destinations of all relationships.
  @usableFromInline package var toOne: [ObjectID?] { block.snapshot(at: row).ownToOne }

  package var attributeCount: Int { block.counts(at: row).attributes }
  package var relationshipCount: Int { block.counts(at: row).relationships }
}
