/// The capability of a store that has all its objects in memory: a context may fetch from it with a predicate in Swift
/// (`FetchPredicate(block:)`), which is asked about each object. A store of a database would have to read all of it.
public protocol InMemoryFetching: PersistentStore {}
