#if !canImport(Darwin)
  public import Foundation

  // On Apple's systems UIKit has these, and AppKit the first of them.
  extension IndexPath {
    /// An item of a section.
    public init(item: Int, section: Int) { self = [section, item] }
    /// A row of a section.
    public init(row: Int, section: Int) { self = [section, row] }
    /// The section: the first index.
    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }
    /// The item of the section: the second index.
    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
    /// The row of the section: the second index.
    public var row: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
