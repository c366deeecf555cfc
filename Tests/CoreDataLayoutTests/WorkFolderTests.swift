import CoreDataLayout
import Foundation
import Platform
import SQLite
import StoreInterface
import TestSupport
import Testing

@Suite("folders in which results are made")
struct WorkFolderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("what a killed run had set aside is put back, but not while a run makes the result")
  func putBack() throws {
    let result = folder.path("result")
    let work = try WorkFolder(for: result)
    try folder.write("old", to: "result.partial/earlier")
    let error = #expect(throws: StoreError.self) { try WorkFolder.putBack("earlier", to: result) }
    if case .busy(result) = error {} else { Issue.record("\(String(describing: error))") }
    #expect(!FileSystem.exists(result))
    work.remove()

    // As a run leaves it that was killed.
    try folder.write("Seedbed makes", to: "result.partial/" + WorkFolder.markerName)
    try folder.write("old", to: "result.partial/earlier")
    try WorkFolder.putBack("earlier", to: result)
    #expect(try String(contentsOfFile: result, encoding: .utf8) == "old")
    WorkFolder.removeLeftovers(for: result)
    #expect(!FileSystem.exists(WorkFolder.path(for: result)))
  }

  @Test("folders change places in one step")
  func exchange() throws {
    try folder.write("1", to: "a/one")
    try folder.write("2", to: "b/two")
    guard FileSystem.exchange(folder.path("a"), folder.path("b")) else { return }
    #expect(FileSystem.names(in: folder.path("a")) == ["two"] && FileSystem.names(in: folder.path("b")) == ["one"])
    #expect(!FileSystem.exchange(folder.path("a"), folder.path("c")))
    #expect(FileSystem.names(in: folder.path("a")) == ["two"])
  }

  @Test("a lock that cannot be asked for is no lock of another")
  func locks() throws {
    let path = folder.path("lock")
    try folder.write("", to: "lock")
    let (first, second) = (try #require(FileLock.open(path)), try #require(FileLock.open(path)))
    #expect(try FileLock.acquire(first, of: path))
    #expect(try !FileLock.acquire(second, of: path))
    OpenFiles.close(first)
    #expect(try FileLock.acquire(second, of: path))
    OpenFiles.close(second)
    let error = #expect(throws: SystemError.self) { try FileLock.acquire(-1, of: path) }
    #expect(error?.number == EBADF && error?.path == path && error?.message.hasPrefix("cannot lock the file: ") == true)
  }

  @Test("a second name counts, except the one that a killed run has left")
  func names() throws {
    try folder.write("", to: "a.sqlite")
    try folder.write("", to: "a.sqlite.partial/other")
    let path = folder.path("a.sqlite")
    #expect(try StoreFiles.isReplaceable(path))
    let kept = folder.path("a.sqlite.partial/a.sqlite.previous")
    try FileManager.default.linkItem(atPath: path, toPath: kept)
    #expect(try StoreFiles.isReplaceable(path))
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("b.sqlite"))
    #expect(try !StoreFiles.isReplaceable(path))
    try FileManager.default.removeItem(atPath: kept)
    #expect(try !StoreFiles.isReplaceable(path))
    try folder.write("", to: "a.sqlite.partial/a.sqlite.previous")
    #expect(try !StoreFiles.isReplaceable(path))
  }

  @Test("a path has room where SQLite can open the store that is made for it", arguments: -3...3)
  func room(more: Int) throws {
    let subfolder = String(repeating: "f", count: 200)
    // `<name>.partial/<name>-journal` in it has 512 bytes, or some more or less.
    let rest = 512 - folder.path.utf8.count - subfolder.count - "//.partial/-journal".count
    let name = String(repeating: "n", count: rest / 2 + more)
    let place = folder.path(subfolder + "/" + name)
    try FileManager.default.createDirectory(atPath: folder.path(subfolder), withIntermediateDirectories: true)
    let work = try WorkFolder(for: place)
    defer { work.remove() }
    let store = try? Connection(path: work.path + "/" + name, options: .init(createsFile: true))
    #expect(WorkFolder.hasRoom(forStoreAt: place) == (store != nil), "\(place.utf8.count)")
    try store?.close()
    if store == nil { #expect(throws: StoreError.self) { try WorkFolder.requireRoom(forStoreAt: place) } }
  }
}
