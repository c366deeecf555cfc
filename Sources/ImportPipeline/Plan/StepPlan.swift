import Foundation
import ObjectModel
import Predicates
import SeedFormats
import StoreInterface

/// An import step compiled against the model: which fields are read, what becomes of each, which key tables it needs.
/// Immutable, so that all decode workers share it.
struct StepPlan: Sendable {
  let step: ImportStep
  let root: NodePlan
  /// Field paths that the reader delivers per record, in slot order.
  let projection: [String]
  /// Those that a CSV file need not have a column for.
  let optionalFields: Set<String>
  let condition: RecordExpressionEvaluator?
  /// Where the pipeline file names each required field first.
  let positions: [String: FilePosition]
  /// Nulls written in quotes stay text where the format can tell (CSV).
  let respectsQuotes: Bool
  /// The root and every node below it, by `NodePlan.index`, parents first.
  let nodes: [NodePlan]

  func node(_ index: Int) -> NodePlan? { nodes.indices.contains(index) ? nodes[index] : nil }
}

/// An entity that records, or their nested objects, become rows of.
final class NodePlan: Sendable {
  let entity: Entity
  /// Position among the plan's nodes; the root is 0.
  let index: Int
  /// Columns of the node's row batches.
  let columns: [RowBatch.Column]
  /// What each column's attribute is; nil for the columns of relationships.
  let columnTypes: [AttributeType?]
  let cells: [CellPlan]
  let composites: [CompositePlan]
  let references: [ReferencePlan]
  let children: [ChildPlan]
  /// Natural key of the node: columns (attributes and to-one relationships) in `match` order; empty: no key.
  let match: [MatchPart]
  /// Yields the record key, for the root only.
  let recordKey: CellPlan?
  /// Slots per record of this node's own field table.
  let fieldCount: Int
  /// Field paths of a nested node's own projection, in slot order; the root's are in `StepPlan.projection`.
  let projection: [String]
  /// Required attributes that nothing maps and that have no default: no object of this kind can be inserted.
  let unmappedRequired: [String]
  /// Fields of the projection that an entry of the map without `optional: true` reads.
  let requiredFields: Set<String>

  init(
    entity: Entity, index: Int, columns: [RowBatch.Column], cells: [CellPlan],
    composites: [CompositePlan] = [], references: [ReferencePlan], children: [ChildPlan], match: [MatchPart],
    recordKey: CellPlan?, projection: [String], unmappedRequired: [String],
    requiredFields: Set<String> = []
  ) {
    self.entity = entity
    self.index = index
    self.columns = columns
    columnTypes = columns.map { entity.storedAttribute($0.source.propertyName)?.type }
    self.cells = cells
    self.composites = composites
    self.references = references
    self.children = children
    self.match = match
    self.recordKey = recordKey
    self.fieldCount = projection.count
    self.projection = projection
    self.unmappedRequired = unmappedRequired
    self.requiredFields = requiredFields
  }

  /// Columns of the natural key in `match` order.
  var matchColumns: [Int] {
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

  func column(_ source: RowBatch.Source) -> Int? { columns.firstIndex { $0.source == source } }
}

/// One part of a node's natural key.
enum MatchPart: Sendable, Hashable {
  case attribute(column: Int)
  /// A to-one relationship, as an index into the node's references.
  case reference(index: Int)
}

/// How the cells of one attribute column come about.
struct CellPlan: Sendable {
  enum Input: Sendable {
    /// The field itself.
    case field(slot: Int)
    /// `duration(field)`, decoded without going through an expression value.
    case duration(slot: Int)
    /// `normalized(field)`, likewise.
    case normalized(slot: Int)
    case expression(RecordExpressionEvaluator)
    case constant(RecordExpressionValue)

    /// The field that a problem is reported at, when there is just one.
    var slot: Int? {
      switch self {
      case .field(let slot), .duration(let slot), .normalized(let slot): slot
      case .expression, .constant: nil
      }
    }
  }

  let column: Int
  let property: String
  let attribute: AttributeDescription
  let input: Input
  /// Fields whose text is one of these are null.
  let nulls: [[UInt8]]
  /// Reads Date attributes from text.
  let dates: DateParser
  /// The model's regular expression for a String, made to match whole texts only.
  let pattern: NSRegularExpression?
  /// Taken when the value is absent or null.
  let defaultValue: RecordExpressionValue?
  /// Fields of the expression, for the position of its problems.
  let slots: [Int]
  /// Whether the field is a stored value as a dump writes it, taken as it is.
  var isStored = false
}

/// A relationship whose destinations are found by natural key.
struct ReferencePlan: Sendable {
  let property: String
  let relationship: Relationship
  /// Which key table holds the destinations.
  let table: KeyTableID
  /// Decodes the key's parts into a batch with one column per part.
  let parts: [CellPlan]
  let keyColumns: [RowBatch.Column]
  /// To-one: the column of the foreign key, and of the destination's entity where it has sub-entities.
  let column: Int?
  let entityColumn: Int?
  let orderColumn: Int?
  /// To-many: the bytes between the keys of a text; nil: the text is one key.
  let separator: [UInt8]?
  let missing: ReferenceMapping.Missing
  /// Whether the records state both sides of the relationship as a store had them, so that the other side is left to
  /// them and a destination that is not there is no matter of one record.
  let isStored: Bool
  /// Whether the source need not have the fields of the key: where one is not there, the relationship is left alone.
  let isOptional: Bool
  /// The slot of the key's field, when it comes from one field: what a to-many key is split from.
  var slot: Int? { parts.count == 1 ? parts[0].input.slot : nil }
}

/// A nested object or array that becomes objects of the relationship's destination.
struct ChildPlan: Sendable {
  let property: String
  let relationship: Relationship
  /// Slot of the object or array in the parent's field table.
  let slot: Int
  let node: NodePlan
  /// Whether the map reads the element itself, so that it need not be an object.
  var takesElements: Bool { node.projection.contains(RecordExpression.elementPath) }
}

/// Names a key table: the objects of an entity (sub-entities included) by some of its attributes, or by the keys of
/// their records.
struct KeyTableID: Sendable, Hashable {
  let entity: Entity
  /// Empty for record keys.
  let attributes: [String]
  var isByRecordKey = false

  /// What the keys are, for messages.
  var title: String {
    isByRecordKey ? "the record key of \(entity.name)" : "\(entity.name).\(attributes.joined(separator: "+"))"
  }
}
