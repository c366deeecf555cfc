/// An XML element with its attributes, children and the line on which its start tag ends.
struct XMLNode {
  var name: String
  var attributes: [String: String]
  /// The line on which the start tag ends, from 1.
  var line: Int
  var children: [XMLNode] = []
  /// The text directly inside, of all its parts; empty where there are only blanks.
  var text = ""

  /// Whether there is text other than blanks directly inside.
  var hasText: Bool { !text.isEmpty }
}
