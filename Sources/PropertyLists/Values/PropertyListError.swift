/// Why bytes are no property list, or one that is not read.
package struct PropertyListError: Error {
  /// One sentence without a period.
  package let message: String
  /// How to mend it, where that is known.
  package let hint: String?
  /// Where it is in the file.
  package var byteOffset: Int

  /// - Parameter byteOffset: where it is in the file.
  package init(_ message: String, hint: String? = nil, at byteOffset: Int = 0) {
    self.message = message
    self.hint = hint
    self.byteOffset = byteOffset
  }
}
