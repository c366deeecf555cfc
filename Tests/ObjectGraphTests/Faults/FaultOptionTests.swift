import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("What a fetch brings in")
struct FaultOptionTests {
  @Test(
    "faults with their rows, loaded objects, or faults without anything: the values are the same",
    arguments: StoreKind.allCases)
  func options(kind: StoreKind) throws {
    let school = try School(kind)
    let (counting, container) = try school.counted()
    let writer = container.newBackgroundContext(name: "writer")
    try writer.performAndWait {
      writer.stalenessInterval = 0
      for number in 0..<20 { school.addPupil(writer, "Pupil \(number)", grade: Int64(number)) }
      try writer.save()
    }
    for (asFaults, withValues) in [(true, true), (false, true), (true, false)] {
      let reader = container.newBackgroundContext(name: "reader")
      try reader.performAndWait {
        reader.stalenessInterval = 0
        var request = school.all(school.pupil, by: "grade")
        request.returnsObjectsAsFaults = asFaults
        request.includesPropertyValues = withValues
        let found = try reader.fetch(request)
        #expect(found.map(\.isFault) == Array(repeating: asFaults, count: 20))
        let before = counting.fetchCount
        #expect(found.map { $0["grade"] } == (0..<20).map { .integer($0) })
        // Rows that did not come with the fetch come all at once with the first that is needed.
        #expect(counting.fetchCount - before == (withValues ? 0 : 1))
      }
    }
  }
}
