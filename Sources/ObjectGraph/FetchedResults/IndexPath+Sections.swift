public import Foundation

// UIKit has these, and AppKit all but the ones of rows; where a file imports one of them, its own are taken.
extension IndexPath {
  /// An item of a section.
  @_disfavoredOverload public init(item: Int, section: Int) { self = [section, item] }
  /// A row of a section.
  @_disfavoredOverload public init(row: Int, section: Int) { self = [section, row] }
  /// The section: the first index.
  @_disfavoredOverload public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }
  /// The item of the section: the second index.
  @_disfavoredOverload public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
  /// The row of the section: the second index.
  @_disfavoredOverload public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
