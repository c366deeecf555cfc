import Foundation
import ObjectModel
import Platform
import TestSupport
import Testing

@testable import ModelFiles

@Suite("What has the name of a model and is none")
struct OddPlaceTests {
  @Test(
    "a FIFO is refused, and nothing waits for what it may give", .timeLimit(.minutes(20)),
    arguments: [
      "Shop.mom", "Shop.xcdatamodel/contents", "Shop.cdm", "Shop.xcmappingmodel", "Map.xcmappingmodel/xcmapping.xml",
    ])
  func fifo(name: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(unsafe mkfifo(url.path, 0o600) == 0)
    let place = folder.path(name.split(separator: "/").first.map(String.init) ?? name)
    let error = try #require(throws: ModelError.self) {
      if MappingModelReader.isMappingModel(path: place) {
        _ = try MappingModelReader.read(path: place)
      } else {
        _ = try ModelReader.read(path: place)
      }
    }
    #expect(error.description.contains("neither a file nor a folder"), "\(error)")
  }

  @Test(
    "a folder that the system cannot list says nothing against the model",
    arguments: [
      (ENOENT, .unreadableFile), (EACCES, .unreadableFile), (EMFILE, .inputOutput), (EIO, .inputOutput),
    ] as [(Int32, ModelError.Code)])
  func unlistedFolder(number: Int32, code: ModelError.Code) {
    let error = ModelFileSystem.failure(SystemError("list the folder", "Shop.xcdatamodeld", number: number))
    #expect(error.problems.map(\.code) == [code] && error.problems.map(\.file) == ["Shop.xcdatamodeld"])
  }
}
