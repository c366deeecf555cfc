/// Numbers of bytes for people.
package enum ByteText {
  package static func text(_ bytes: Int) -> String {
    let units = [("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10)]
    for (name, size) in units where bytes >= size && bytes % size == 0 { return "\(bytes / size) \(name)" }
    return "\(bytes) bytes"
  }
}
