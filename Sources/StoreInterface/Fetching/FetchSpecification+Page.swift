extension FetchSpecification {
  /// The part of a result that the limit and the offset leave.
  package func page<Element>(_ found: [Element]) -> [Element] {
    let rest = found.dropFirst(max(fetchOffset, 0))
    return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
  }
}
