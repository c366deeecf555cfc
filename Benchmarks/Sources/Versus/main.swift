// The engine against GRDB and against C, in turns in one process, fresh files for every turn:
//
//   versus [--rounds N] [--alone] [fetch|insert|update|delete|find-or-create|find-or-create-by-two|walk]…
//
// With --alone the engine runs by itself, for a profiler, and its times are all that is told. Prints a table in
// Markdown. Exit code 1: a bar is missed; 2: it could not be measured, or two sides disagree.

import Foundation

var rounds = 7
var isAlone = false
var names: [String] = []
var arguments = CommandLine.arguments.dropFirst()
let known = ["fetch", "insert", "update", "delete", "find-or-create", "find-or-create-by-two", "walk"]
while let argument = arguments.popFirst() {
  if argument == "--rounds", let count = arguments.popFirst().flatMap({ Int($0) }), count > 0 {
    rounds = count
  } else if argument == "--alone" {
    isAlone = true
  } else if known.contains(argument) {
    names.append(argument)
  } else {
    FileHandle.standardError.write(
      Data("usage: versus [--rounds N] [--alone] [\(known.joined(separator: "|"))]…\n".utf8))
    exit(64)
  }
}
// Walking comes first: its memory is that of the process, which keeps some of what other jobs had.
if names.isEmpty { names = ["walk"] + known.filter { $0 != "walk" } }

func findOrCreate(_ way: String, _ job: @escaping (String) throws -> Answer) -> Race {
  Race(
    "find or create 1,000,000, half stored" + way,
    [
      EngineSide.findOrCreate("Seedbed", job),
      EngineSide.findOrCreate("C", limit: 1) {
        try Yardstick.findOrCreate($0, count: EngineSide.recordCount, batch: EngineSide.recordsPerBatch)
      },
    ])
}

func race(_ name: String) -> Race? {
  switch name {
  case "fetch":
    Race("fetch, read two attributes", [EngineSide.fetch, GRDBSide.fetchRows, GRDBSide.fetchCodable])
  case "insert": Race("insert and save", [EngineSide.insert, GRDBSide.insert])
  case "update": Race("fetch, update one attribute each, save", [EngineSide.update, GRDBSide.update])
  case "delete": Race("fetch, delete each, save", [EngineSide.delete, GRDBSide.delete])
  case "find-or-create": findOrCreate("", EngineSide.findOrCreate)
  case "find-or-create-by-two": findOrCreate(", by two contexts", EngineSide.findOrCreateByTwo)
  default: nil
  }
}

do {
  if !isAlone { print("| job | Seedbed | against | it took | ratio | at most |\n|---|---:|---|---:|---:|---:|") }
  var isWithinLimits = true
  var note = ""
  for name in names {
    var finished: Race
    if name == "walk" {
      let (race, peak) = try Walk.run(rounds: rounds, isAlone: isAlone)
      finished = race
      if let peak {
        note = "\nWalking took \(peak) MiB of memory at most (limit \(Walk.memoryLimit))."
        if peak > Walk.memoryLimit { isWithinLimits = false }
      }
    } else if let race = race(name) {
      finished = race
      if isAlone { finished.sides.removeLast(finished.sides.count - 1) }
      try finished.run(rounds: rounds)
    } else {
      continue
    }
    if isAlone { print(finished.times) }
    let (lines, isWithin) = finished.report()
    for line in lines { print(line) }
    if !isWithin { isWithinLimits = false }
  }
  if !note.isEmpty { print(note) }
  exit(isWithinLimits ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("versus: \(error)\n".utf8))
  exit(2)
}
