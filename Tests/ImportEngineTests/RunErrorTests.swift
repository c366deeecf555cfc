import CoreDataLayout
import Foundation
import Pipelines
import Platform
import StoreInterface
import TestSupport
import Testing

@Suite("errors of a run by what caused them")
struct RunErrorTests {
  @Test(
    "a call of the system that failed is no mistake of the program's",
    arguments: [
      (EIO, .inputOutput), (EMFILE, .inputOutput), (ENOSPC, .inputOutput), (EDQUOT, .inputOutput),
      (EACCES, .cannotCreate), (EROFS, .cannotCreate),
    ] as [(Int32, RunError.Kind)])
  func systemError(number: Int32, kind: RunError.Kind) {
    let error = RunError(any: SystemError("write the file to disk", "out/report.json", number: number), store: "")
    #expect(error.kind == kind)
    #expect(error.message.hasPrefix("out/report.json: cannot write the file to disk: "), "\(error.message)")
  }

  @Test("a full disk is said by the result's path, but what is in place all the same is said as it is")
  func fullDisk() {
    func message(_ text: String) -> String {
      RunError(any: StoreError.inputOutput(path: "/a/x.csv.partial/x.csv", message: text), store: "").message
    }
    #expect(message("cannot write the file: No space left on device").hasPrefix("/a/x.csv cannot be written"))
    let placed = "cannot write the file: No space left on device; the new file is in place all the same (/a/x.csv)"
    #expect(message(placed) == "/a/x.csv.partial/x.csv: " + placed)
  }

  @Test("a placement that a full disk has kept from being undone says which file is in place")
  func unfinished() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "x.csv")
    try folder.write("new", to: "x.csv.partial/x.csv")
    let placement = FilePlacement()
    try placement.put(folder.path("x.csv.partial/x.csv"), at: folder.path("x.csv"))
    // Without the second name of the old file nothing can be undone.
    try FileManager.default.removeItem(atPath: folder.path("x.csv.partial/x.csv.previous"))
    let reason = StoreError.inputOutput(
      path: folder.path("y.csv.partial/y.csv"), message: SystemError.reason(ENOSPC), code: ENOSPC)
    let error = RunError(any: placement.undo(after: reason), store: "")
    #expect(error.kind == .inputOutput)
    #expect(error.message.contains("the new file is in place all the same (\(folder.path("x.csv")))"), "\(error)")
  }
}
