package import Foundation
package import ObjectModel
package import StoreInterface

/// An import step compiled against the model: which fields are read, how each is used, and which key tables it needs.
/// Immutable, so that all decode workers share it.
package struct StepPlan: Sendable {
  package let step: ImportStep
  package let root: NodePlan
  /// Field paths that the reader delivers per record, in slot order.
  package let projection: [String]
  /// Those that a CSV file need not have a column for.
  package let optionalFields: Set<String>
  package let condition: RecordExpressionEvaluator?
  /// Where the pipeline file names each required field first.
  let positions: [String: FilePosition]
  /// Nulls written in quotes stay text where the format can tell (CSV).
  package let respectsQuotes: Bool
  /// The root and every node below it, by `NodePlan.index`, parents first.
  package let nodes: [NodePlan]

  package func node(_ index: Int) -> NodePlan? { nodes.indices.contains(index) ? nodes[index] : nil }
}

/// An entity that records, or their nested objects, become rows of.
package final class NodePlan: Sendable {
  package let entity: Entity
  /// Position among the plan's nodes; the root is 0.
  package let index: Int
  /// Columns of the node's row batches.
  package let columns: [RowBatch.Column]
  /// The type of each column's attribute; nil for the columns of relationships.
  package let columnTypes: [AttributeType?]
  package let cells: [CellPlan]
  package let composites: [CompositePlan]
  package let requirements: [ElementRequirement]
  package let references: [ReferencePlan]
  package let children: [ChildPlan]
  /// The match key of the node: columns (attributes and to-one relationships) in `match` order; empty: no key.
  package let match: [MatchPart]
  /// Yields the record key, for the root only.
  package let recordKey: CellPlan?
  /// Slots per record of this node's own field table.
  package let fieldCount: Int
  /// Field paths of a nested node's own projection, in slot order; the root's are in `StepPlan.projection`.
  package let projection: [String]
  /// Required attributes that nothing maps and that have no default: no object of this kind can be inserted.
  package let unmappedRequired: [String]
  /// Defaults of the entity that no object may keep.
  package let brokenDefaults: [BrokenDefault]
  /// Fields of the projection that an entry of the map without `optional: true` reads.
  package let requiredFields: Set<String>

  init(
    entity: Entity, index: Int, columns: [RowBatch.Column], cells: [CellPlan],
    composites: [CompositePlan], requirements: [ElementRequirement], references: [ReferencePlan],
    children: [ChildPlan], match: [MatchPart],
    recordKey: CellPlan?, projection: [String], unmappedRequired: [String],
    brokenDefaults: [BrokenDefault], requiredFields: Set<String>
  ) {
    self.entity = entity
    self.index = index
    self.columns = columns
    columnTypes = columns.map { entity.storedAttribute($0.source.propertyName)?.type }
    self.cells = cells
    self.composites = composites
    self.requirements = requirements
    self.references = references
    self.children = children
    self.match = match
    self.recordKey = recordKey
    self.fieldCount = projection.count
    self.projection = projection
    self.unmappedRequired = unmappedRequired
    self.brokenDefaults = brokenDefaults
    self.requiredFields = requiredFields
  }

  /// The properties of the match key.
  package var matchProperties: [String] {
    match.map { part in
      switch part {
      case .attribute(let column): columns[column].source.propertyName
      case .reference(let index): references[index].property
      }
    }
  }

  /// The attributes of the match key in `match` order; nil where a relationship is part of it.
  package var matchAttributes: [String]? {
    match.contains { if case .reference = $0 { true } else { false } } ? nil : matchProperties
  }

  /// Columns of the match key in `match` order.
  package var matchColumns: [Int] {
    match.map { part in
      switch part {
      case .attribute(let column): column
      case .reference(let index): references[index].column ?? -1
      }
    }
  }

  /// This node and those below it, by index.
  var withDescendants: [NodePlan] {
    ([self] + children.flatMap(\.node.withDescendants)).sorted { $0.index < $1.index }
  }

  package func column(_ source: RowBatch.Source) -> Int? { columns.firstIndex { $0.source == source } }
}

/// One part of a node's match key.
package enum MatchPart: Sendable, Hashable {
  case attribute(column: Int)
  /// A to-one relationship, as an index into the node's references.
  case reference(index: Int)
}

/// How the cells of one attribute column come about.
package struct CellPlan: Sendable {
  package enum Input: Sendable {
    /// The text of the field itself.
    case field(slot: Int)
    /// `duration(field)`, decoded without going through an expression value.
    case duration(slot: Int)
    /// `normalized(field)`, decoded likewise.
    case normalized(slot: Int)
    case expression(RecordExpressionEvaluator)
    case constant(RecordExpressionValue)

    /// The field that a problem is reported at, when there is just one.
    package var slot: Int? {
      switch self {
      case .field(let slot), .duration(let slot), .normalized(let slot): slot
      case .expression, .constant: nil
      }
    }
  }

  package let column: Int
  package let property: String
  package let attribute: AttributeDefinition
  package let input: Input
  /// Fields whose text is one of these are null.
  package let nulls: [[UInt8]]
  /// Reads Date attributes from text.
  package let dates: DateParser
  /// The model's regular expression for a String, made to match whole texts only.
  package let pattern: NSRegularExpression?
  /// Taken when the value is absent or null.
  package let defaultValue: RecordExpressionValue?
  /// Fields of the expression, for the position of its problems.
  package let slots: [Int]
  /// Whether the field is a stored value as a dump writes it, taken as it is.
  package var isRestored = false
  /// Whether an `ElementRequirement` says when the value may be missing.
  package internal(set) var isRequiredByComposite = false

  /// The same plan for the single keys in a field of a to-many relationship.
  package func ofPieces() -> CellPlan {
    CellPlan(
      column: 0, property: property, attribute: attribute, input: .field(slot: 0), nulls: [], dates: dates,
      pattern: nil,
      defaultValue: nil, slots: [0])
  }
}

/// A composite whose elements are read from one object of the record.
package struct CompositePlan: Sendable {
  package let property: String
  package let isOptional: Bool
  package let slot: Int
  /// Cells of its elements, by position.
  package let cells: [Int]
}

/// A relationship whose destinations are found by their match key.
package struct ReferencePlan: Sendable {
  package let property: String
  package let relationship: Relationship
  /// Which key table holds the destinations.
  package let table: KeyTableID
  /// Decodes the key's parts into a batch with one column per part.
  package let parts: [CellPlan]
  package let keyColumns: [RowBatch.Column]
  /// To-one: the column of the foreign key, and of the destination's entity where it has sub-entities.
  package let column: Int?
  package let entityColumn: Int?
  package let orderColumn: Int?
  /// To-many: the bytes between the keys of a text; nil: the text is one key.
  package let separator: [UInt8]?
  package let missing: MappedReference.Missing
  /// Whether the step restores a dump: the records state both sides of the relationship, so the inverse is not changed
  /// here. A missing destination fails the run, not the record.
  package let isRestored: Bool
  /// To-many: whether the record's members are added to those that the object has.
  package let addsMembers: Bool
  /// Whether the source need not have the fields of the key: where one is not there, the relationship is left alone.
  package let isOptional: Bool
  /// The slot of the key's field, when it comes from one field. A to-many key is split from its text.
  package var slot: Int? { parts.count == 1 ? parts[0].input.slot : nil }
}

/// A nested object, an array or a list that becomes objects of the relationship's destination.
package struct ChildPlan: Sendable {
  /// Where the objects are.
  package enum Input: Sendable {
    /// The objects are in a field, as an object or array.
    case field(slot: Int)
    /// The objects come from a list that an expression over these fields yields; some texts in it mean null.
    case list(RecordExpressionEvaluator, slots: [Int], nulls: [[UInt8]])

    /// The fields that are read.
    package var slots: [Int] {
      switch self {
      case .field(let slot): [slot]
      case .list(_, let slots, _): slots
      }
    }
  }

  package let property: String
  package let relationship: Relationship
  /// The fields that are read from the parent's field table.
  package let input: Input
  package let node: NodePlan
  /// To-many: whether the record's objects are added to those that the owner has.
  package let addsMembers: Bool
  /// The slot of the field that has the objects; nil where an expression yields them.
  package var slot: Int? {
    if case .field(let slot) = input { return slot }
    return nil
  }
  /// Whether the map reads the element itself, so that it need not be an object.
  package var takesElements: Bool { node.projection.contains(RecordExpression.elementPath) }
}

/// Names a key table: the objects of an entity (sub-entities included) by some of its attributes, or by the keys of
/// their records.
package struct KeyTableID: Sendable, Hashable {
  package let entity: Entity
  /// Empty for record keys.
  package let attributes: [String]
  package var isByRecordKey = false

  /// A description of the keys, for messages.
  package var title: String {
    isByRecordKey ? "the record key of \(entity.name)" : "\(entity.name).\(attributes.joined(separator: "+"))"
  }
}
