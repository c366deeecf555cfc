import Foundation
import ObjectModel
import Platform
import SeedFormats

/// A digest over files and texts. An archive of which several members are sources is read once.
struct FileDigest {
  private var digest = ContentDigest()
  /// The number of each archive that was read.
  private var archives: [String: Int] = [:]

  /// Adds the contents of a file, piece by piece; of a member of an archive its name and the whole archive.
  mutating func add(file path: String) throws(RunError) {
    let (path, member) = SeedPlace.parts(of: path)
    if let member {
      add(text: member)
      // An archive never has this content, so no other inputs have the same digest.
      if let number = archives[path] { return add(text: "archive \(number)") }
      archives[path] = archives.count
    }
    guard let file = FileHandle(forReadingAtPath: path) else {
      // The handle does not tell the reason.
      do {
        _ = try FileBlockSource(path: path)
      } catch  where error.kind == .io {
        throw RunError(.inputOutput, code: "source.unreadable", "\(path): \(error.message)")
      } catch {}
      throw RunError(.missingInput, code: "source.unreadable", "\(path): cannot be read")
    }
    defer { try? file.close() }
    do {
      digest.update(length: Int(try file.seekToEnd()))
      // One block again and again: memory that is used for the first time costs more than the digest.
      let source = try FileBlockSource(path: path)
      let block = ByteBlock()
      // Safety: the digest takes the bytes up before the block is filled again.
      while try block.fill(from: source) { unsafe digest.update(block.bytes) }
    } catch {
      let reason = (error as? SeedFormatError)?.message ?? error.localizedDescription
      throw RunError(.inputOutput, code: "source.unreadable", "\(path): \(reason)")
    }
  }

  mutating func add(text: String) { digest.update(content: Data(text.utf8)) }

  /// The 32 bytes of the digest.
  func finalize() -> Data { digest.finalize() }
}
