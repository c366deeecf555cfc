/// Where the pages of a database are read from: mapped memory, or a file through a buffer.
///
/// Functions over it are generic, so that reading a page is no call through an existential.
protocol PageSource {
  var geometry: PageGeometry { get }
  /// The pages that may be read: from 1 to this.
  var pageCount: UInt32 { get }
  /// The path of the file in messages.
  var path: String { get }
  /// A page, valid until the next call.
  /// - Throws: `PageError` also for a page that is not there.
  @unsafe func page(_ number: UInt32) throws(PageError) -> UnsafeRawPointer
}

extension PageSource {
  func malformed(_ page: UInt32) -> PageError {
    PageError(notOfTree: page, path: path)
  }
}

/// A file that gives its pages.
protocol PageFileReading: AnyObject {
  var geometry: PageGeometry { get }
  /// The pages that may be read: from 1 to this.
  var readablePageCount: UInt32 { get }
  /// The path of the file in messages.
  var path: String { get }
  /// Reads pages that follow one another.
  @unsafe func read(_ page: UInt32, count: Int, into bytes: UnsafeMutableRawPointer) throws(PageError)
}

extension PageFileReading {
  func malformed(_ page: UInt32) -> PageError { PageError(notOfTree: page, path: path) }

  /// - Throws: `PageError` where the file does not have all of these pages.
  func require(_ page: UInt32, count: Int) throws(PageError) {
    guard page >= 1, Int(page) + count - 1 <= Int(readablePageCount) else {
      throw PageError(kind: .malformed, message: "a tree of \(path) names page \(page) of \(readablePageCount)")
    }
  }
}

extension PageError {
  fileprivate init(notOfTree page: UInt32, path: String) {
    self.init(kind: .malformed, message: "page \(page) of \(path) is not the tree's")
  }
}

/// The pages of a file, one at a time.
struct PageBuffer<File: PageFileReading>: PageSource {
  private let file: File
  private let memory: PageMemory

  init(_ file: File) {
    self.file = file
    memory = PageMemory(file.geometry, pages: 1)
  }

  var geometry: PageGeometry { file.geometry }
  var pageCount: UInt32 { file.readablePageCount }
  var path: String { file.path }

  @unsafe func page(_ number: UInt32) throws(PageError) -> UnsafeRawPointer {
    unsafe try file.read(number, count: 1, into: memory.base)
    return unsafe UnsafeRawPointer(memory.base)
  }
}
