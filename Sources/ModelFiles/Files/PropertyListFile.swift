import Foundation
import ObjectModel
import Platform
import PropertyLists

/// A small property list in a file, binary or XML, such as the ones that stand beside models.
struct PropertyListFile {
  /// Nil for a file without a value: no text at all, or no element inside `plist`.
  let value: PropertyListValue?

  private static let maximumByteCount = 16 << 20
  private static let limits = PropertyListLimits(depth: 8, valueCount: 1 << 20, byteCount: 32 << 20)

  /// - Returns: nil when the file is no property list, or one that ends too early.
  /// - Throws: `ModelError` when the file cannot be read or is too large.
  static func read(_ path: String) throws(ModelError) -> PropertyListFile? {
    let bytes = [UInt8](try ModelFileSystem.readFile(path, limit: maximumByteCount))
    if bytes.allSatisfy({ [9, 10, 13, 32].contains($0) }) { return PropertyListFile(value: nil) }
    do throws(PropertyListError) {
      return PropertyListFile(
        value: PropertyList.isBinary(bytes)
          ? try PropertyList.decode(binary: bytes, limits: limits)
          : try PropertyList.decode(xml: bytes, limits: limits))
    } catch {
      return nil
    }
  }
}
