import Synchronization

/// Oddities of texts that can be read, noted by the decoders.
public final class TextNotices: Sendable {
  private let filesWithControls = Mutex<Set<String>>([])

  /// A collection without notices.
  public init() {}

  /// A file that is decoded as Latin-1 has bytes from 0x80 to 0x9F.
  func noteControls(file: String?) { filesWithControls.withLock { _ = $0.insert(file ?? "") } }

  /// Whether Latin-1 has made control characters of bytes of the file that are letters of Windows-1252.
  public func hasControls(file: String) -> Bool { filesWithControls.withLock { $0.contains(file) } }
}
