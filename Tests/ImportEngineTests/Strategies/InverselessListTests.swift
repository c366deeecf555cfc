import SQLite
import Seedbed
import TestQueries
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// Ordered lists of songs, which do not know the lists and come after them.
@Suite("Ordered members without an inverse")
struct InverselessListTests {
  private static func model(albumIsOptional: Bool) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Album"><attribute name="code" attributeType="String"/></entity>
      <entity name="Song"><attribute name="code" attributeType="String"/>
        <relationship name="album" optional="\(albumIsOptional ? "YES" : "NO")" maxCount="1" destinationEntity="Album"/></entity>
      <entity name="Playlist"><attribute name="code" attributeType="String"/>
        <relationship name="songs" optional="YES" toMany="YES" ordered="YES" destinationEntity="Song"/></entity>
    </model>
    """
  }

  /// Imports a list before its ten songs.
  /// - Returns: how often the store was asked for objects.
  private func requests(albumIsOptional: Bool) throws -> Int {
    let folder = try TemporaryFolder()
    try folder.write(Self.model(albumIsOptional: albumIsOptional), to: "Music.xcdatamodel/contents")
    try folder.write(
      """
      model: Music.xcdatamodel
      store: { path: Music.sqlite }
      import:
        - { from: lists.ndjson, entity: Playlist, match: code, map: { code: code, songs: { match: code, from: songs } } }
        - { from: albums.csv, entity: Album, match: code, map: { code: code } }
        - { from: songs.csv, entity: Song, match: code, map: { code: code, album: { match: code, from: album } } }
      """, to: "p.yaml")
    let songs = (0..<10).map { "s\($0)" }
    let list = songs.reversed().map { "\"\($0)\"" }.joined(separator: ",")
    try folder.write("{\"code\": \"l\", \"songs\": [\(list)]}\n", to: "lists.ndjson")
    try folder.write("code\na\n", to: "albums.csv")
    try folder.write("code,album\n" + songs.map { "\($0),a\n" }.joined(), to: "songs.csv")
    let pipeline = try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
    let report = try PipelineRun(pipeline, options: .ofTests).run()
    #expect(
      try Connection.rows(at: folder.path("Music.sqlite"), "SELECT count(*) FROM ZSONG WHERE ZALBUM NOTNULL") == ["10"])
    return report.work.contexts.requests.count
  }

  @Test("members that do not change are not loaded, whatever they require")
  func requests() throws {
    let count = try requests(albumIsOptional: true)
    #expect(count > 0)
    #expect(try requests(albumIsOptional: false) == count)
  }
}
