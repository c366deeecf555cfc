import Foundation
import Platform
package import SQLite
import StoreInterface
import Synchronization

/// Values of attributes that allow external storage: a tag byte, then the bytes themselves or the name of a file in a
/// folder beside the store.
package struct ExternalDataFolder {
  package static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2
  /// Longer values go into files. Core Data's own limit lies near 100 KB.
  package static let longestInline = 100 * 1024
  /// Bytes of a value that names a file: the tag, a UUID in 36 characters, and a zero.
  package static let referenceLength = 38
  private static let dataName = "_EXTERNAL_DATA"

  private let storePath: String
  /// The support folder, which is hidden and named after the store.
  let supportPath: String
  var dataPath: String { supportPath + "/" + ExternalDataFolder.dataName }
  /// Files whose fate the open transaction decides.
  package let ledger = ExternalDataLedger()

  /// - Parameter storePath: may be a symbolic link to the store: a store has one such folder, whatever it is called by.
  package init(storePath: String) {
    let storePath = ResultPath.followed(storePath)
    self.storePath = storePath
    let name = ((storePath as NSString).lastPathComponent as NSString).deletingPathExtension
    supportPath = FileSystem.parent(storePath) + "/.\(name)_SUPPORT"
  }

  // MARK: - Values

  /// The bytes to store for a value; a long value is written to a new file first.
  /// - Parameter seed: tells apart equal values of different rows, so that no two rows share a file.
  package func encode(_ bytes: UnsafeRawBufferPointer, seed: UInt64, into result: inout [UInt8]) throws {
    // Safety: the bytes are the caller's, good for this call, and are copied.
    result.removeAll(keepingCapacity: true)
    if bytes.count <= ExternalDataFolder.longestInline {
      result.append(ExternalDataFolder.inlineTag)
      unsafe result.append(contentsOf: bytes)
      return
    }
    let name = unsafe try writeFile(Array(bytes), seed: seed)
    result.append(ExternalDataFolder.fileTag)
    result.append(contentsOf: name.utf8)
    result.append(0)
  }

  /// The bytes behind a stored value.
  /// - Throws: `StoreError.damagedValue` when the tag is unknown, the name is no UUID, or the folder has no regular
  ///   file of that name.
  package func decode(_ stored: UnsafeRawBufferPointer, storePath: String) throws -> [UInt8] {
    // Safety: the bytes are the caller's, good for this call; no statement goes on meanwhile. They are copied.
    guard let tag = unsafe stored.first else { return [] }
    if tag == ExternalDataFolder.inlineTag { return unsafe Array(stored.dropFirst()) }
    guard let name = unsafe ExternalDataFolder.fileName(stored) else {
      throw StoreError.damagedValue(
        path: storePath,
        message: "an external binary value of \(stored.count) bytes has an unknown form (tag \(tag))")
    }
    do {
      if let bytes = try openData()?.read(name) { return bytes }
    } catch let error as StoreError {
      // The name leads to something that is no regular file; no system call has failed.
      guard case .inputOutput(let path, let message, nil) = error else { throw error }
      throw StoreError.damagedValue(path: storePath, message: "\(path): \(message)")
    }
    throw StoreError.damagedValue(path: storePath, message: "the external data file \(name) is missing")
  }

  /// The name of the file that a stored value needs and that is not there; nil when nothing is missing.
  package func missingFile(_ stored: UnsafeRawBufferPointer) throws -> String? {
    guard let name = unsafe ExternalDataFolder.fileName(stored) else { return nil }
    guard let folder = try openData() else { return name }
    return try folder.size(name) == nil ? name : nil
  }

  /// Whether a stored value stands for these bytes. One that cannot be read stands for nothing.
  func holds(_ stored: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Bool {
    // Safety: both are the caller's, good for this call; no statement goes on meanwhile. They are only compared.
    guard let tag = unsafe stored.first else { return unsafe bytes.isEmpty }
    if tag == ExternalDataFolder.inlineTag {
      return unsafe stored.count == bytes.count + 1 && stored.dropFirst().elementsEqual(bytes)
    }
    guard let name = unsafe ExternalDataFolder.fileName(stored), let data = try? openData(),
      (try? data.size(name)) == bytes.count, let present = try? data.read(name)
    else { return false }
    return unsafe present.elementsEqual(bytes)
  }

  /// The file that a stored value names, when it names one. Only a UUID is taken, so that no name leaves the folder.
  package static func fileName(_ stored: UnsafeRawBufferPointer) -> String? {
    // Safety: the count was compared first, so all these places exist; the name is a copy.
    guard stored.count == referenceLength, unsafe stored[0] == fileTag, unsafe stored[referenceLength - 1] == 0
    else { return nil }
    let name = unsafe String(decoding: stored[1..<37], as: UTF8.self)
    return isFileName(name) && name == name.uppercased() ? name : nil
  }

  static func isFileName(_ name: String) -> Bool { UUID(uuidString: name) != nil }

  // MARK: - Files

  /// The folder of the files, nil when the store has none.
  package func openData() throws -> ExternalDataFolderHandle? {
    try ExternalDataFolderHandle(ExternalDataFolder.dataName, in: supportPath)
  }

  /// The folder of the files, which is made when there is none.
  func makeData() throws -> ExternalDataFolderHandle {
    if let folder = try openData() { return folder }
    do throws(SystemError) {
      try FileSystem.makeFolder(dataPath)
    } catch {
      throw StoreError.cannotCreate(path: dataPath, message: error.message)
    }
    guard let folder = try openData() else {
      throw StoreError.cannotCreate(path: dataPath, message: "cannot create the folder")
    }
    return folder
  }

  /// - Throws: where no file can be made in the folder of the files, or the folder itself cannot be made.
  package func requireWritable() throws {
    _ = try openData()
    let places = [dataPath, supportPath, FileSystem.parent(storePath)]
    guard let place = places.first(where: { FileSystem.exists($0) }),
      !FileManager.default.isWritableFile(atPath: place)
    else { return }
    throw StoreError.inputOutput(
      path: place, message: "this user may not write to the folder, which long values need",
      code: SQLiteError.Code.readOnly.rawValue)
  }

  /// Whether there are files of values.
  package var hasFiles: Bool { get throws { try openData()?.names().contains(where: Self.isFileName) ?? false } }

  /// Removes the folders when nothing is in them.
  func removeIfEmpty() {
    // `rmdir` refuses a folder with something in it, and a symbolic link.
    unsafe _ = rmdir(dataPath)
    unsafe _ = rmdir(supportPath)
  }

  /// The files that rows of a store name, whatever its model: a value of a binary column that has the form of a
  /// reference counts as one.
  static func namedFiles(_ connection: Connection) throws(SQLiteError) -> Set<String> {
    var columns: [(table: String, column: String)] = []
    let list = try Statement(
      connection,
      """
      SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name GLOB 'Z*' AND upper(c.type) = 'BLOB'
      """)
    while try list.step() { columns.append((list.string(at: 0) ?? "", list.string(at: 1) ?? "")) }
    var names: Set<String> = []
    for (table, column) in columns {
      let column = SQLText.identifier(column)
      // Type and length are in a row's header: values themselves are read only where they may be a reference.
      let values = try Statement(
        connection,
        "SELECT \(column) FROM \(SQLText.identifier(table)) WHERE typeof(\(column)) = 'blob' "
          + "AND length(\(column)) = \(referenceLength)")
      while try values.step() {
        // Safety: the bytes are good until the next step, and the name is a copy.
        if let name = unsafe fileName(values.rawBytes(at: 0)) { names.insert(name) }
      }
    }
    return names
  }

  /// Removes the files of the ledger that no row names, and empties the ledger. While the ledger is held, it does
  /// nothing. Files that another store names stay: stores whose names differ by their endings alone share a folder.
  /// - Precondition: no transaction is open, so that what the rows say is final.
  package func removeUnnamed(_ connection: Connection) throws {
    if ledger.isHeld { return }
    guard !ledger.names.isEmpty, let folder = try openData() else { return ledger.removeAll() }
    let unnamed = ledger.names.subtracting(try ExternalDataFolder.namedFiles(connection))
    // Where another store cannot be read, what it names is not known, and all stay for the next time.
    guard let others = unnamed.isEmpty ? [] : try? Self.filesOfOthers(besides: connection.path) else { return }
    for name in unnamed.subtracting(others).sorted() { try folder.remove(name) }
    ledger.removeAll()
    removeIfEmpty()
  }

  /// Files are named after their contents and place rather than at random, so that the same work gives the same store.
  private func writeFile(_ bytes: [UInt8], seed: UInt64) throws -> String {
    let folder = try makeData()
    var low = ExternalDataFolder.hash(bytes, seed)
    var high = ExternalDataFolder.hash(bytes, seed &+ 0x9E37_79B9_7F4A_7C15)
    while true {
      let name = ExternalDataFolder.uuid(high, low)
      guard let existing = try folder.read(name) else {
        // Before the write, which may fail half way.
        ledger.note(name)
        try folder.write(bytes, to: name)
        // Only a user that may read the store may read its values.
        try StoreFiles.copyPermissions(of: storePath, to: dataPath + "/" + name)
        return name
      }
      if existing == bytes {
        ledger.note(name)
        return name
      }
      low = low &* 6_364_136_223_846_793_005 &+ 1
      high ^= low
    }
  }

  /// FNV-1a, finished with a multiply-xorshift so that both halves of the name differ in every bit.
  private static func hash(_ bytes: [UInt8], _ seed: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash ^= hash >> 33
    hash = hash &* 0xFF51_AFD7_ED55_8CCD
    return hash ^ (hash >> 33)
  }

  private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
    func byte(_ value: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * index)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x80, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
        byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      )
    ).uuidString
  }
}

/// Names of files that a transaction wrote, or whose rows it deleted or changed. Which of them stay is known when it
/// has ended: those that a row names then.
///
/// Readers of an older state of the store need the files of rows that are deleted since: no file is removed while a
/// reader holds the ledger.
package final class ExternalDataLedger {
  package private(set) var names: Set<String> = []
  private let holders = Atomic(0)

  package func note(_ name: String) { names.insert(name) }

  /// Notes the files that values of a column name.
  /// - Parameter condition: on the rows; nil for all.
  package func noteFiles(
    in column: String, of table: String, where condition: String? = nil, _ connection: Connection
  ) throws(SQLiteError) {
    let values = try Statement(
      connection,
      "SELECT \(column) FROM \(table) WHERE length(\(column)) = \(ExternalDataFolder.referenceLength)"
        + (condition.map { " AND (\($0))" } ?? ""))
    while try values.step() {
      // Safety: the bytes are good until the next step, and the name is a copy.
      if let name = unsafe ExternalDataFolder.fileName(values.rawBytes(at: 0)) { note(name) }
    }
  }

  func removeAll() { names.removeAll() }

  /// Whether files have to stay. May be asked from any thread, as may be the next two.
  var isHeld: Bool { holders.load(ordering: .sequentiallyConsistent) > 0 }
  func hold() { holders.add(1, ordering: .sequentiallyConsistent) }
  func release() { holders.subtract(1, ordering: .sequentiallyConsistent) }
}
