import Crypto
import Foundation
import Testing

/// The bytes of the stores that the shipped pipelines make. A change of the project that changes them says so here.
@Suite("Recorded bytes of stores")
struct RecordedBytesTests {
  /// Places in the header of a database that SQLite fills by itself: how often the file was changed, for which of these
  /// changes the version is valid, and the version of the library.
  private static let ownFields = [24..<28, 92..<100]

  @Test(
    "a shipped pipeline makes the bytes that are recorded", .enabled(if: Tool.picksStrategies),
    arguments: [
      ("transit", "Transit", "592462773680a347ae5752675ca04acc93d91d98b8e77be686e420480c3b4aad"),
      ("recipes", "Recipes", "25929334f396b0f1cc70b32f24dc3f89b8890ddfde9a4910cbef968065b2d40c"),
      ("bubble-tea", "BubbleTea", "e2c5b0e53a6e2fcc641a512f4987bf12e7116bb00e6a04e75a0733e085442a02"),
      ("surf-journal", "SurfJournal", "29b5c3e10d57a4a0151c7ae92d2a49eb24c549b02c3ad27a8d50fc2d923c0ab1"),
    ])
  func bytes(pipeline: String, store: String, recorded: String) async throws {
    let workspace = try Workspace.shipped()
    #expect(try await workspace.run("run", "--quiet", "pipelines/\(pipeline).yaml").exitCode == 0)
    var bytes = try workspace.bytes("build/\(store).sqlite")
    for field in Self.ownFields { for index in field { bytes[index] = 0 } }
    #expect(SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined() == recorded)
  }
}
