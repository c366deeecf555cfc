import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Testing

@Suite("Predicates evaluated with an object")
struct ObjectEvaluationTests {
  @Test(
    "new, changed and faulted objects are judged by their values now, transient ones too", arguments: StoreKind.allCases
  )
  func evaluation(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let course = school.addCourse(context, 7)
      let ada = school.addPupil(context, "Ada", grade: 4)
      func holds(_ format: String) throws -> Bool { try FetchPredicate(parsing: format).holds(for: ada) }
      #expect(try holds("grade == 4 AND name BEGINSWITH[c] 'a' AND course == nil"))
      ada["mood"] = .string("bright")
      #expect(try holds("mood == 'bright'"))
      ada.setObject(course, for: "course")
      #expect(try holds("ANY course.pupils.grade > 3 AND course.code == 7"))
      let sum = try FetchExpression(parsing: "grade + course.code")
      #expect(try sum.evaluate(with: ada) == .value(.integer(11)))
      try context.save()
      context.refresh(ada, mergeChanges: false)
      #expect(ada.isFault)
      #expect(try holds("course.pupils.@count == 1 AND entity == 'Pupil' AND objectID == SELF"))
      #expect(throws: PredicateCheckError.self) { try holds("nowhere == 1") }
      #expect(throws: StoreError.self) {
        try context.fetch(school.all(school.pupil, where: try FetchPredicate(parsing: "mood == 'bright'")))
      }
    }
  }
}
