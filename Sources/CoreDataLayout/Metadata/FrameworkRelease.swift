/// Which release of Apple's systems a framework version (`NSPersistenceFrameworkVersion`) belongs to.
public enum FrameworkRelease {
  /// The versions that stores have been seen with, and what they came from.
  private static let seen: [(versions: ClosedRange<Int>, name: String)] = [
    (479...479, "2013"), (519...519, "iOS 8"), (640...641, "iOS 9"), (752...754, "iOS 10"),
    (836...866, "iOS 11 to 12, macOS 10.13 to 10.14"), (969...977, "iOS 13, macOS 10.15"),
    (1030...1044, "iOS 14, macOS 11"), (1124...1152, "iOS 15, macOS 12"), (1216...1251, "iOS 16, macOS 13"),
    (1321...1347, "iOS 17, macOS 14"), (1403...1448, "iOS 18, macOS 15"), (1509...1523, "iOS 26, macOS 26"),
  ]

  /// The release in words; for a version that no known store has, the releases that it lies between.
  public static func name(ofFrameworkVersion version: Int) -> String {
    if let known = seen.first(where: { $0.versions.contains(version) }) { return known.name }
    let earlier = seen.last { $0.versions.upperBound < version }?.name
    let later = seen.first { $0.versions.lowerBound > version }?.name
    switch (earlier, later) {
    case (let earlier?, let later?): return "after \(earlier), before \(later)"
    case (let earlier?, nil): return "after \(earlier)"
    case (nil, let later?): return "before \(later)"
    case (nil, nil): return ""
    }
  }
}
