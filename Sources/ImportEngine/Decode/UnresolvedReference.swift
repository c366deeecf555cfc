/// A reference whose destination is not known yet.
struct UnresolvedReference {
  let node: DecodedNode
  let row: Int
  let reference: Int
  let entry: ReferenceKeys.Entry
}

/// A to-many reference that was found: a row of a node and its destination.
struct FoundLink {
  let row: Int
  let destination: RowReference
}
