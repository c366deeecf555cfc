// What a delegate is given has another type than the controller that it stands for, and is another object. So the
// comparisons that Core Data code makes between them are of the results. Those of identity have to be written for each
// combination of optionals, or Swift prefers its own.

/// Whether both stand for the same results.
public func == <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>?) -> Bool {
  left?.results === right?.results
}

/// Whether they stand for different results.
public func != <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>?) -> Bool {
  left?.results !== right?.results
}

/// Whether both stand for the same results.
public func === <Left, Right>(left: FetchedResultsController<Left>, right: FetchedResultsController<Right>) -> Bool {
  left.results === right.results
}

/// Whether both stand for the same results.
public func === <Left, Right>(left: FetchedResultsController<Left>, right: FetchedResultsController<Right>?) -> Bool {
  left.results === right?.results
}

/// Whether both stand for the same results.
public func === <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>) -> Bool {
  left?.results === right.results
}

/// Whether both stand for the same results.
public func === <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>?) -> Bool {
  left?.results === right?.results
}

/// Whether they stand for different results.
public func !== <Left, Right>(left: FetchedResultsController<Left>, right: FetchedResultsController<Right>) -> Bool {
  left.results !== right.results
}

/// Whether they stand for different results.
public func !== <Left, Right>(left: FetchedResultsController<Left>, right: FetchedResultsController<Right>?) -> Bool {
  left.results !== right?.results
}

/// Whether they stand for different results.
public func !== <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>) -> Bool {
  left?.results !== right.results
}

/// Whether they stand for different results.
public func !== <Left, Right>(left: FetchedResultsController<Left>?, right: FetchedResultsController<Right>?) -> Bool {
  left?.results !== right?.results
}
