#if !canImport(ObjectiveC)
  /// Calls the closure. There is nothing to release outside Apple's systems; loops that import many rows are written
  /// with it.
  public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }
#endif
