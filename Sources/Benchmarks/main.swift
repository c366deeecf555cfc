// Fetches of the engine against SQLite's own C API, in turns in one process:
//
//   seedbed-bench queries STORE MODEL [ROUNDS [NAME]]
//
// Prints a table in Markdown. And all stop times of the store, walked as objects some at a time, once:
//
//   seedbed-bench walk STORE MODEL [BATCH-SIZE]
//
// Prints a sentence. And changes under a controller of 50,000 fetched results, on a store of its own:
//
//   seedbed-bench results
//
// Prints a table. And bounding boxes over posts, 100,000 of them by default, with an R-tree, a compound index, and
// none:
//
//   seedbed-bench indexes [ROWS [ROUNDS]]
//
// Prints two tables. And all objects of an entity deleted, or an integer of them raised, in one context with one save,
// for `scripts/benchmark-batch`:
//
//   seedbed-bench context delete|update STORE MODEL ENTITY ATTRIBUTE
//
// Prints a sentence. Exit code 1: a bar is missed; 2: it could not be measured, or an answer was wrong.

import Foundation
import ModelFiles

let arguments = CommandLine.arguments
if arguments.dropFirst() == ["results"] {
  do {
    let outcomes = try ResultsUpdates().run()
    print("| change under \(ResultsUpdates.rows) results | time | at most |\n|---|---:|---:|")
    for outcome in outcomes {
      let times = [outcome.milliseconds, outcome.limit].map { String(format: "%.2f ms", $0) }
      print("| \(outcome.name) | \(times[0]) | \(times[1]) |")
    }
    exit(outcomes.allSatisfy { $0.milliseconds <= $0.limit } ? 0 : 1)
  } catch {
    FileHandle.standardError.write(Data("seedbed-bench: \(error)\n".utf8))
    exit(2)
  }
}
if arguments.count > 1, arguments[1] == "indexes" {
  do {
    let rows = arguments.count > 2 ? Int(arguments[2]) ?? 100_000 : 100_000
    let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 9 : 9
    let result = try IndexComparison(rows: rows, rounds: max(rounds, 1)).run()
    print(result.markdown)
    exit(0)
  } catch {
    FileHandle.standardError.write(Data("seedbed-bench: \(error)\n".utf8))
    exit(2)
  }
}
if arguments.count == 7, arguments[1] == "context", let kind = ContextWork.Kind(rawValue: arguments[2]) {
  do {
    let work = try ContextWork(
      kind, storePath: arguments[3], model: ModelReader.read(path: arguments[4]), entityName: arguments[5],
      attribute: arguments[6])
    let outcome = try work.run()
    print(
      "\(outcome.objects) objects, \(kind.rawValue) in one context: \(String(format: "%.2f s", outcome.seconds)), "
        + "\(outcome.peakBytes / 1_000_000) MB at most")
    exit(0)
  } catch {
    FileHandle.standardError.write(Data("seedbed-bench: \(error)\n".utf8))
    exit(2)
  }
}
guard arguments.count >= 4, ["queries", "walk"].contains(arguments[1]) else {
  let usage = """
    usage: seedbed-bench queries STORE MODEL [ROUNDS [NAME]]
           seedbed-bench walk STORE MODEL [BATCH-SIZE]
           seedbed-bench results
           seedbed-bench indexes [ROWS [ROUNDS]]
           seedbed-bench context delete|update STORE MODEL ENTITY ATTRIBUTE

    """
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
}
do {
  let model = try ModelReader.read(path: arguments[3])
  if arguments[1] == "walk" {
    let batchSize = arguments.count > 4 ? Int(arguments[4]) ?? 1_024 : 1_024
    let walk = try StopTimeWalk(storePath: arguments[2], model: model, batchSize: batchSize).run()
    print(
      "\(walk.rows) objects walked, \(batchSize) at a time: \(String(format: "%.2f s", walk.seconds)) and "
        + "\(walk.peakMebibytes) MiB at most (limit \(StopTimeWalk.memoryLimit)); the bare loop over the same two columns "
        + "took \(String(format: "%.2f s", walk.bareSeconds)).")
    exit(walk.peakMebibytes <= StopTimeWalk.memoryLimit ? 0 : 1)
  }
  let rounds = arguments.count > 4 ? Int(arguments[4]) ?? 5 : 5
  let pairs = try TransitQueries(storePath: arguments[2], model: model)
    .run(rounds: max(rounds, 1), named: arguments.count > 5 ? arguments[5] : nil)
  print("| workload | engine | bare statement | share | at most |\n|---|---:|---:|---:|---:|")
  for pair in pairs {
    let milliseconds = [pair.ours, pair.bare].map { String(format: "%.2f ms", Pair.median($0) * 1_000) }
    let mark = pair.share <= pair.limit ? "" : " (over)"
    print(
      "| \(pair.name) | \(milliseconds[0]) | \(milliseconds[1]) | \(String(format: "%.2f", pair.share))\(mark) "
        + "| \(String(format: "%.2f", pair.limit)) |")
  }
  exit(pairs.allSatisfy { $0.share <= $0.limit } ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("seedbed-bench: \(error)\n".utf8))
  exit(2)
}
