/// A kind of mapping in a pipeline file, with the fields it may have.
package enum PipelineSection: String, Sendable, CaseIterable {
  case pipeline, model, store, importStep, source, attribute, constant, reference, keyReference, nested, rejects,
    exportStep
  case lookup, column, order, stepExpectation, storeExpectation

  /// The heading in the documentation.
  var title: String {
    switch self {
    case .pipeline: "The pipeline"
    case .model: "model"
    case .store: "store"
    case .importStep: "Steps of import"
    case .source: "from: the source"
    case .attribute: "map: an attribute"
    case .constant: "map: a constant"
    case .reference: "map: a relationship by natural key"
    case .keyReference: "map: a relationship by record key"
    case .nested: "map: nested objects"
    case .rejects: "rejects"
    case .exportStep: "Steps of export"
    case .lookup: "lookups"
    case .column: "Columns of an export"
    case .order: "Order of an export"
    case .stepExpectation: "expect: of a step"
    case .storeExpectation: "expect: of the store"
    }
  }

  /// The heading's anchor as Markdown renderers make it.
  var anchor: String {
    String(title.lowercased().compactMap { $0 == " " ? "-" : ($0.isLetter || $0 == "-" ? $0 : nil) })
  }

  /// The description of the mapping as a whole.
  var introduction: String {
    switch self {
    case .pipeline: "The top of a pipeline file."
    case .model: "A model by path, or by path and version."
    case .store: "The store to build."
    case .importStep:
      "Each step reads one source into one entity. Steps run in order, but may refer to each other's objects."
    case .source:
      """
      A path or pattern alone, or a mapping that says more. `delimiter`, `quote`, `escape`, `comment`, `header` and \
      `columns` are for CSV and TSV, `pointer` for JSON.
      """
    case .attribute: "The long form of an attribute, where an expression alone does not say enough."
    case .constant: "The same value for every record; text needs no second pair of quotes here."
    case .reference: "A relationship to objects that are found by the values of some of their attributes."
    case .keyReference:
      """
      A relationship to objects whose records have a `key` in their step: an identifier that the seed has and the model \
      has not. It works for objects of this run only, in whatever order the steps stand.
      """
    case .nested:
      "An object, or an array of objects, inside the record, that becomes related objects, or the elements of a composite attribute."
    case .rejects:
      """
      Records that cannot be imported. The run fails when there are more than `limit`, or more than `percent` of the \
      records read, whichever is stated; a run that states neither fails on the first reject.
      """
    case .exportStep: "Each step writes the objects of one entity from the finished store."
    case .lookup:
      """
      Tables for the function `lookup`, each by its name. A table is read when the run begins and held in memory: at most \
      256 MiB, counting the texts and 96 bytes for each key. A key that comes twice, or is empty, is an error.
      """
    case .column: "A column with a title of its own."
    case .order: "The long form of `attribute` and `-attribute`."
    case .stepExpectation:
      """
      What must be so when all steps have run. A run that does not meet it ends with exit code 65, a dry run too, and the \
      earlier store stays as it was; all that is not met is told at once.
      """
    case .storeExpectation:
      """
      How many objects of an entity the finished store must have. It is looked at when the store is finished, derived \
      values included, and before it takes its place or anything is exported: where it is not met, the run ends with exit \
      code 65 and the earlier store stays as it was. `seedbed lint` checks entity, predicate and the types in it.
      """
    }
  }

  /// Every field, in the order of the documentation.
  var fields: [FieldSpec] {
    switch self {
    case .pipeline: Self.pipelineFields
    case .model: Self.modelFields
    case .store: Self.storeFields
    case .importStep: Self.importFields
    case .source: Self.sourceFields
    case .attribute: Self.attributeFields
    case .constant: Self.constantFields
    case .reference: Self.referenceFields
    case .keyReference: Self.keyReferenceFields
    case .nested: Self.nestedFields
    case .rejects: Self.rejectFields
    case .exportStep: Self.exportFields
    case .lookup: Self.lookupFields
    case .column: Self.columnFields
    case .order: Self.orderFields
    case .stepExpectation: Self.stepExpectationFields
    case .storeExpectation: Self.storeExpectationFields
    }
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The words of a choice.
  static var words: [String] { allCases.map(\.rawValue) }
}
