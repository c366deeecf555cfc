import Pipelines

/// Says how the beginnings of two text results differ, shortened to where they do.
enum TextDifference {
  /// The most characters of either that are shown.
  private static let limit = 60

  static func ofHeaders(old: [UInt8], new: [UInt8]) -> String {
    // Bytes that are no text are not shown.
    guard let before = String(validating: old, as: UTF8.self), !before.unicodeScalars.contains("\0") else {
      return "no earlier result: its first line is no text"
    }
    let (left, right) = shortened(before, String(decoding: new, as: UTF8.self))
    return "no earlier result of the same columns: its header differs; it is “\(left)”, and the new one “\(right)”"
  }

  static func ofKeys(old: Set<String>, new: Set<String>) -> String {
    let (left, right) = shortened(
      old.sorted().joined(separator: ", "), new.sorted().joined(separator: ", "))
    return
      "no earlier result of the same columns: the keys of its first object differ; they are “\(left)”, and the new ones "
      + "“\(right)”"
  }

  private static func shortened(_ old: String, _ new: String) -> (String, String) {
    let old = Array(old)
    let new = Array(new)
    let common = zip(old, new).prefix { $0 == $1 }.count
    let start = max(old.count, new.count) > limit && common > 20 ? common - 20 : 0
    func part(_ text: [Character]) -> String {
      let rest = text.dropFirst(start)
      return (start > 0 ? "…" : "") + HarmlessText.line(String(rest.prefix(limit))) + (rest.count > limit ? "…" : "")
    }
    return (part(old), part(new))
  }
}
