import Foundation
import ObjectModel
import Platform
import SQLite
import TestSupport
import Testing

@testable import CoreDataLayout

/// POSIX lets go of all locks on a file when its process closes any descriptor of it.
@Suite("Files that a connection has open")
struct OpenFileTests {
  private let folder: TemporaryFolder
  #if canImport(Glibc)
    /// `F_OFD_GETLK`, whose lock is another owner's than the process's.
    private static let query: Int32 = 36
  #else
    private static let query: Int32 = 92
  #endif

  init() throws { folder = try TemporaryFolder() }

  /// Whether the file has one of SQLite's locks, as an owner other than this process would see it.
  private func isLocked(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    return unsafe fcntl(descriptor, Self.query, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  @Test("keep their locks, whatever else of this process reads them", arguments: ["delete", "wal"])
  func locks(journal: String) throws {
    let path = folder.path("Shop.sqlite")
    try SQLiteStore.create(path: path, model: Models.transit()).seal(journal: .delete)
    let connection = try Connection(path: path)
    _ = try connection.string("PRAGMA journal_mode = \(journal)")
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (1)")
    try connection.begin(.immediate)
    try connection.execute("INSERT INTO T VALUES (2)")
    let probe = unsafe open(path, O_RDONLY)
    defer { close(probe) }
    try #require(isLocked(probe))
    _ = try StoreMetadata.read(path: path)
    _ = try StoreInspection.read(path: path)
    _ = try StoreFiles.header(path)
    #expect(try StorePlace.content(at: path) != .nothing)
    let copy = try PrivateCopy(of: path)
    #expect(FileSystem.exists(copy.path))
    try FileSystem.synchronize(path)
    #expect(isLocked(probe))
    try connection.commit()
    try connection.close()
  }

  @Test("keep descriptors that were closed meanwhile no longer than they are open")
  func waiting() throws {
    let path = folder.path("Other.sqlite")
    let first = try Connection(path: path, options: .init(createsFile: true))
    try first.execute("CREATE TABLE T (A)")
    let second = try Connection(path: path)
    var info = stat()
    let descriptor = unsafe open(path, O_RDONLY)
    OpenFiles.close(descriptor)
    #expect(unsafe fstat(descriptor, &info) == 0)
    try first.close()
    #expect(unsafe fstat(descriptor, &info) == 0)
    let identity = info.st_ino
    try second.close()
    #expect(unsafe fstat(descriptor, &info) != 0 || info.st_ino != identity)
    let other = unsafe open(path, O_RDONLY)
    OpenFiles.close(other)
    #expect(unsafe fstat(other, &info) != 0 || info.st_ino != identity)
  }
}
