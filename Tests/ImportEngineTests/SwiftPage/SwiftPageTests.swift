import Foundation
import TestSupport
import Testing

@Suite("The example in docs/SWIFT.md")
struct SwiftPageTests {
  @Test("the lines in docs/SWIFT.md are the ones that are compiled here")
  func sameLines() throws {
    let samples = try DocumentSamples.swift(in: "docs/SWIFT.md")
    #expect(samples.contains(try DocumentSamples.source("SwiftPageExample.swift")))
  }

  @Test("it builds a store and reads it")
  func works() async throws {
    let folder = try TemporaryFolder()
    for name in ["stops", "stations", "station-stops"] {
      let seed = FixtureFolder.packageRoot.appendingPathComponent("seeds/transit/\(name).csv.gz")
      try FileManager.default.copyItem(at: seed, to: folder.file(name + ".csv.gz"))
    }
    try FileManager.default.copyItem(
      at: FixtureFolder.packageRoot.appendingPathComponent("seeds/transit/Transit.xcdatamodeld"),
      to: folder.file("Transit.xcdatamodeld"))
    try folder.write(
      """
      model: Transit.xcdatamodeld
      store: { path: Transit.sqlite }
      import:
        - { from: stops.csv.gz, entity: Stop, match: identifier, map: &stop {
            identifier: stop_id, name: stop_name, latitude: stop_lat, longitude: stop_lon, locationType: 0 } }
        - { from: stations.csv.gz, entity: Stop, match: identifier, map: *stop }
        - from: station-stops.csv.gz
          entity: Stop
          match: identifier
          map: { identifier: stop_id, parent: { match: identifier, from: parent_station } }
      """, to: "stops.yaml")
    #expect(try build(folder.path("stops.yaml")) == 419)
    let names = try await stopNames(
      ofStation: "station-the-pier-cairns", in: folder.path("Transit.sqlite"),
      modelPath: folder.path("Transit.xcdatamodeld"))
    #expect(names.count == 5)
    #expect(names == names.sorted())
    #expect(names.contains("The Pier Cairns - Terminus Stop E"))
  }
}
