import Foundation

/// Text without its case, its diacritics, or both: Foundation's `folding(options:locale:)` without a locale.
public enum TextFolding {
  /// The folded text. ASCII text takes a short way.
  public static func fold(_ text: String, options: FetchPredicate.Comparison.Options) -> String {
    let foldsCase = options.contains(.caseInsensitive)
    let foldsDiacritics = options.contains(.diacriticInsensitive)
    if !foldsCase && !foldsDiacritics { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return foldsCase ? text.lowercased() : text }
    var compare: String.CompareOptions = []
    if foldsCase { compare.insert(.caseInsensitive) }
    if foldsDiacritics { compare.insert(.diacriticInsensitive) }
    return text.folding(options: compare, locale: nil)
  }

  /// The form of texts in derived attributes for searching: without case, diacritics and width.
  public static func canonical(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// The folded text for a comparison by bytes with these options.
  static func prepare(_ text: String, _ options: FetchPredicate.Comparison.Options, isSearch: Bool) -> String {
    if options.contains(.normalized) { return text }
    if isSearch && options.contains(.localized) {
      return fold(text, options: [.caseInsensitive, .diacriticInsensitive])
    }
    return fold(text, options: options)
  }
}
