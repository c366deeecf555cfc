/// A file of a step's source, opened or about to be.
package struct SourceFile: Sendable {
  /// Where the bytes are; for standard input the file it was kept in.
  package var path: String
  /// How messages name it.
  package var name: String

  /// A file by its place and its name.
  package init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}
