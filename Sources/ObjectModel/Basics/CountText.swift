extension Int {
  /// The number with its noun: `1 array`, `2 arrays`.
  package func counted(_ noun: String) -> String { counted(noun, noun + "s") }

  /// The number with a noun that has another plural: `1 entity`, `2 entities`.
  package func counted(_ one: String, _ many: String) -> String { "\(grouped) \(self == 1 ? one : many)" }

  /// A number of bytes for people: `61.4 KB`.
  package var byteCountText: String {
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    var value = Double(self)
    var unit = 0
    while value >= 1000, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    return unit == 0 ? "\(self) bytes" : "\((value * 10).rounded() / 10) \(units[unit])"
  }

  /// The number for people, with commas between thousands.
  package var grouped: String {
    var digits = Array(String(magnitude))
    var position = digits.count - 3
    while position > 0 {
      digits.insert(",", at: position)
      position -= 3
    }
    return (self < 0 ? "-" : "") + String(digits)
  }
}
