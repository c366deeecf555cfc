import ArgumentParser
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines
import StoreModels

/// `seedbed lint`
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Checks a pipeline file against its model and its sources, without running it.")

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Flag(help: "Write the problems as JSON.")
  var json = false

  @Flag(help: "Let the pipeline name files outside its project.")
  var allowOutside = false

  @OptionGroup var log: LogOptions

  func run() throws {
    var problems: [PipelineProblem]
    do {
      let file = try PipelineCheck.read(pipeline, allowsOutside: allowOutside)
      let modelFile = try StoreModel.readFile(of: file, templatePath: file.store.existingOrigin)
      problems =
        modelFile.warnings.map(Self.problem) + PipelineCheck.problems(of: file, model: modelFile.model)
        + PipelineCheck.problemsOfOrigin(of: file, model: modelFile)
    } catch let error as PipelineError {
      problems = error.problems
    } catch {
      throw CommandFailure(error, store: pipeline, format: log.logFormat)
    }
    let errors = problems.filter { $0.severity == .error }
    if json {
      Terminal.print(JSONValue.array(problems.map(Self.json)).text(isIndented: true))
    } else {
      for problem in problems { Terminal.print(problem.description) }
      let warnings = problems.count - errors.count
      if problems.isEmpty {
        LogLine.say("\(pipeline): no problems", event: "lint.ended")
      } else {
        LogLine.say(
          "\(pipeline): \(errors.count.counted("error")), \(warnings.counted("warning"))", event: "lint.ended")
      }
    }
    if !errors.isEmpty {
      throw ExitCode(PipelineError(errors).exitCode)
    }
  }

  private static func problem(_ warning: ModelError.Problem) -> PipelineProblem {
    PipelineProblem(
      severity: .warning, code: "model.\(warning.code.rawValue)", message: warning.message, hint: warning.hint,
      file: warning.file ?? "", position: warning.line.map { FilePosition(line: $0, column: 1) })
  }

  private static func json(_ problem: PipelineProblem) -> JSONValue {
    .object([
      ("severity", .string(problem.severity.rawValue)), ("code", .string(problem.code)),
      ("file", .string(problem.file)),
      ("line", .orNull(problem.position?.line)), ("column", .orNull(problem.position?.column)),
      ("message", .string(problem.message)), ("hint", .orNull(problem.hint)),
    ])
  }
}
