import CoreDataLayout
import Foundation
import ObjectModel
import Platform
import PropertyLists

/// Whether a store is still what the run made, for `replace: when-changed`: it was not cut short, nothing wrote to it,
/// and its files of external data are there.
///
/// The digest of the store's bytes and of its external files stands in the store's own metadata. It is computed with a
/// placeholder in its place, and replaces the placeholder when the store is sealed.
enum ResultProof {
  static let key = "SeedbedResultDigest"

  /// The placeholder of the digest while it is computed: as long as a digest, and a text that no row has by chance.
  static func placeholder(_ inputDigest: String) -> String {
    var digest = ContentDigest()
    digest.update(content: Data((key + " " + inputDigest).utf8))
    return digest.finalize().base64EncodedString()
  }

  /// Writes the digest of a sealed store into it. Metadata that lie on several pages may have the placeholder in two
  /// pieces; then it stays, and only sizes and counters are compared.
  static func write(_ path: String, placeholder: String) throws {
    let url = URL(fileURLWithPath: path)
    let data = try Data(contentsOf: url, options: .mappedIfSafe)
    let needle = Data(placeholder.utf8)
    guard let range = data.range(of: needle),
      data.range(of: needle, options: [], in: range.upperBound..<data.endIndex) == nil
    else { return }
    let text = try digest(data, range, path)
    let file = try FileHandle(forUpdating: url)
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(range.lowerBound))
    try file.write(contentsOf: Data(text.utf8))
    try FileDescriptor.synchronize(file.fileDescriptor, of: path)
  }

  /// Why the store is not what a run made; nil when it is.
  static func difference(_ path: String, _ metadata: StoreMetadata) -> String? {
    for sidecar in Sidecar.withRows {
      if case .file(let count) = PathContent(at: StoreFiles.sidecar(sidecar, of: path)), count > 0 {
        return "another program wrote to it, and has a log beside it"
      }
    }
    guard let stated = metadata.values[key]?.stringValue else { return "it does not say how it was left" }
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe),
      let expected = StoreFiles.statedByteCount(path: path)
    else { return "it cannot be read" }
    if data.count != expected { return "it has \(data.count) bytes, and its header says \(expected)" }
    let inputDigest = metadata.values[StorePlace.digestKey]?.stringValue ?? ""
    if stated == placeholder(inputDigest) { return nil }
    guard let range = data.range(of: Data(stated.utf8)) else { return "its contents have changed" }
    guard let digest = try? digest(data, range, path) else { return "its files of external data are missing" }
    return digest == stated ? nil : "its contents, or its files of external data, have changed"
  }

  /// - Parameter range: where the digest or its placeholder stands.
  private static func digest(_ data: Data, _ range: Range<Data.Index>, _ path: String) throws -> String {
    var digest = ContentDigest()
    digest.update(length: data.count)
    digest.update(data[..<range.lowerBound])
    digest.update(data[range.upperBound...])
    let folder = StorePlace.externalDataFolder(of: path) + "/_EXTERNAL_DATA/"
    for name in try StorePlace.externalFiles(of: path) {
      digest.update(content: Data(name.utf8))
      digest.update(content: try Data(contentsOf: URL(fileURLWithPath: folder + name)))
    }
    return digest.finalize().base64EncodedString()
  }
}
