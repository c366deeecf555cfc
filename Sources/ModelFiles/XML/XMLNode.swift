/// An XML element with its attributes, children and the line on which its start tag ends.
struct XMLNode {
  var name: String
  var attributes: [String: String]
  /// 1-based.
  var line: Int
  var children: [XMLNode] = []
  /// Whether there is text other than blanks directly inside.
  var hasText = false
}
