import Dispatch
import Synchronization

/// Checks the structure of a database file without a log: every page belongs to exactly one tree, overflow chain or
/// list of free pages, the pointer map says the same, rows are in the order of their ids, all leaves of a tree have one
/// depth, cells lie within their pages and do not overlap, and every index has as many entries as its table has rows.
///
/// This is what SQLite's `quick_check` looks at and the number of index entries besides, on several threads. It does
/// not compare the values of an index with those of the rows, as `integrity_check` does.
public struct DatabaseCheck: Sendable {
  /// A b-tree, as `sqlite_schema` has it.
  public struct Tree: Sendable, Hashable {
    /// Name of the table or index, for messages.
    public var name: String
    /// The number of the tree's root page.
    public var root: UInt32
    /// For an index that must have an entry for every row of a table: the table's root page.
    public var tableRoot: UInt32?
    /// Whether it is an index, or a table without row ids.
    public var isIndex: Bool

    /// A tree that is to be checked.
    public init(name: String, root: UInt32, isIndex: Bool, tableRoot: UInt32? = nil) {
      self.name = name
      self.root = root
      self.isIndex = isIndex
      self.tableRoot = tableRoot
    }
  }

  private let path: String
  private let trees: [Tree]
  private let workers: Int

  /// - Parameters:
  ///   - trees: all trees of the file but that of the schema itself.
  ///   - workers: threads.
  public init(path: String, trees: [Tree], workers: Int) {
    self.path = path
    self.trees = [Tree(name: "sqlite_schema", root: 1, isIndex: false)] + trees
    self.workers = max(workers, 1)
  }

  /// - Returns: what is wrong, a sentence each; empty when nothing is.
  /// - Throws: `PageError` when the file cannot be read.
  public func problems() throws(PageError) -> [String] {
    let file = try CheckedFile(path: path)
    let outcomes = Mutex<[Int: Result<TreeCheck.Outcome, PageError>]>([:])
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let index = next.withLock { position in
          position += 1
          return position - 1
        }
        guard index < trees.count else { return }
        let result: Result<TreeCheck.Outcome, PageError>
        do throws(PageError) {
          var check = TreeCheck(file: file, tree: trees[index])
          result = .success(try check.run())
        } catch {
          result = .failure(error)
        }
        outcomes.withLock { $0[index] = result }
      }
    }
    let found = outcomes.withLock { $0 }
    var problems: [String] = []
    var used = [UInt8](repeating: 0, count: Int(file.pageCount) + 1)
    var rows: [UInt32: Int] = [:]
    for index in trees.indices {
      guard let result = found[index] else { continue }
      let check = try result.get()
      problems += check.problems
      for page in check.pages where used[Int(page)] < 2 { used[Int(page)] += 1 }
      rows[trees[index].root] = check.entryCount
    }
    for page in try file.freePages(&problems) where used[Int(page)] < 2 { used[Int(page)] += 1 }
    for tree in trees {
      guard let tableRoot = tree.tableRoot, let rowCount = rows[tableRoot], let entryCount = rows[tree.root],
        rowCount != entryCount
      else { continue }
      problems.append("the index \(tree.name) has \(entryCount) entries for \(rowCount) rows")
    }
    for page in 1...max(file.pageCount, 1) {
      let isSetAside = file.geometry.isSetAside(page, hasPointerMap: file.hasPointerMap)
      if used[Int(page)] == 0 && !isSetAside { problems.append("page \(page) is used by nothing") }
      if used[Int(page)] > 1 || (used[Int(page)] == 1 && isSetAside) {
        problems.append("page \(page) is used more than once")
      }
      if problems.count > 20 { break }
    }
    return problems
  }
}
