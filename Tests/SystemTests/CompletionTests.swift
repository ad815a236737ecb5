import TestKit
import Testing

/// The completion script in the shell that it is for.
@Suite(.fewAtOnce) struct CompletionTests {
  private let sandbox = Sandbox()

  /// What bash offers behind these words, the last of which is not complete yet.
  private func offers(_ words: [String]) async -> [String] {
    let script = await sandbox.run("completion", "bash").output
    let run = """
      \(script)
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
      _hermes_transfer
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let shell = RunningProgram(
      "/bin/bash", ["-c", run, "bash", "hermes-transfer"] + words, environment: sandbox.environment,
      folder: sandbox.folder)
    return await shell.wait().lines
  }

  @Test(
    arguments: [
      (["downl"], ["download"]), (["download", "--if-exists", "r"], ["rename"]),
      (["download", "--if-exists", "=", "r"], ["rename"]),
      (["--color", "="], ["auto", "always", "never"]), (["completion", "f"], ["fish"]),
    ] as [([String], [String])])
  func `bash offers what can stand there`(words: [String], expected: [String]) async {
    #expect(await offers(words) == expected)
  }
}
