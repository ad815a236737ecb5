import Core
import HermesTransfer
import Magic
import Posix
import State

/// What this machine offers, and what would fail: one finding a line.
@MainActor
enum DoctorCommand {
  private struct Finding: Encodable {
    let name: String
    let ok: Bool
    let text: String
  }

  static func run(_ context: CommandContext) throws(TransferFailure) -> ExitStatus {
    let findings =
      try versions() + state(context) + [disk(), openFiles(), types()] + network(context)
      + session(context) + terminal(context)
    if context.settings.isOn(.json) {
      try context.printJSON(findings)
    } else {
      let width = findings.map(\.name.count).max() ?? 0
      context.console.results(
        findings.map { ($0.ok ? "ok    " : "FAIL  ") + DisplayWidth.pad($0.name, to: width) + "  " + $0.text })
    }
    return findings.allSatisfy(\.ok) ? .success : .other
  }

  private static func versions() -> [Finding] {
    [
      Finding(name: "program", ok: true, text: "hermes-transfer \(HermesTransferVersion.text)"),
      Finding(name: "libraries", ok: true, text: HermesTransferVersion.libraries),
    ]
  }

  private static func state(_ context: CommandContext) throws(TransferFailure) -> [Finding] {
    let folder = try context.stateFolder
    do throws(StateError) {
      guard let store = try Store(readingFolder: folder) else {
        return [Finding(name: "state", ok: true, text: "\(folder) is made with the first transfer")]
      }
      let problems = try store.integrityCheck()
      let count = try store.records().count
      guard problems.isEmpty else {
        return [Finding(name: "state", ok: false, text: "\(folder): \(problems.joined(separator: "; "))")]
      }
      return [Finding(name: "state", ok: true, text: "\(folder): \(count) transfers, sound"), mode(of: folder)]
    } catch {
      return [Finding(name: "state", ok: false, text: error.failure.message)]
    }
  }

  private static func mode(of folder: String) -> Finding {
    do throws(Errno) {
      let mode = try Files.status(folder).mode
      let isPrivate = mode & 0o077 == 0
      return Finding(
        name: "mode", ok: isPrivate,
        text: isPrivate ? "only its owner reads the state" : "others may read \(folder): chmod 700 \(folder)")
    } catch {
      return Finding(name: "mode", ok: false, text: "\(folder): \(error)")
    }
  }

  private static func disk() -> Finding {
    do throws(Errno) {
      // A file without a name leaves no trace; where the file system has none of these, nothing is known.
      _ = try Files.createUnnamed(in: Files.openFolder("."), mode: 0o600)
      let free = try Files.freeByteCount(at: ".")
      return Finding(name: "disk", ok: free > 1 << 20, text: "\(Quantity.bytes(free)) free in the current folder")
    } catch {
      return Finding(name: "disk", ok: false, text: "no file can be made in the current folder: \(error)")
    }
  }

  private static func openFiles() -> Finding {
    do throws(Errno) {
      let limit = try Process.openFileLimit()
      return Finding(name: "open files", ok: limit.now >= 256, text: "\(limit.now) allowed, \(limit.most) at most")
    } catch {
      return Finding(name: "open files", ok: false, text: "\(error)")
    }
  }

  private static func types() -> Finding {
    guard let problem = MediaType.problem else {
      return Finding(name: "file types", ok: true, text: "told by content, \(MediaType.library)")
    }
    return Finding(name: "file types", ok: false, text: "told by names only: \(problem)")
  }

  /// Gateways, who we are to them, and what is taken from them.
  private static func session(_ context: CommandContext) -> [Finding] {
    let reader = ProfileReader(context)
    let profiles = context.configuration.profiles.map { profile in
      let object = ProfileObject(profile, reader)
      return Finding(name: "profile \(profile.name)", ok: object.failure == nil, text: object.finding)
    }
    let none = Finding(name: "profiles", ok: true, text: "none; hermes-transfer profile add sets one up")
    let limits = MediaLimits()
    return (profiles.isEmpty ? [none] : profiles) + [
      device(reader),
      Finding(
        name: "limits", ok: true,
        text: "messages up to \(Quantity.bytes(Int64(limits.maxMessageByteCount))), media up to "
          + "\(Quantity.bytes(limits.maxMediaByteCount)), \(limits.maxOpenCount) at once, "
          + "\(Quantity.bytes(limits.maxOpenByteCount)) in all"),
    ]
  }

  private static func device(_ reader: ProfileReader) -> Finding {
    do throws(TransferFailure) {
      let identity = try DeviceFile.existingIdentity(inFolder: reader.folder)
      return Finding(name: "device", ok: true, text: identity?.id ?? "an ID is made with the first session")
    } catch {
      return Finding(name: "device", ok: false, text: error.message)
    }
  }

  private static func network(_ context: CommandContext) -> [Finding] {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    let proxies = names.filter { context.surroundings.variable($0) != nil }
    return [
      // The values may hold passwords.
      Finding(
        name: "proxy", ok: true, text: proxies.isEmpty ? "none set" : "set by \(proxies.joined(separator: ", "))"),
      Finding(name: "IPv6", ok: true, text: Files.isThere("/proc/net/if_inet6") ? "available" : "not available"),
    ]
  }

  private static func terminal(_ context: CommandContext) -> [Finding] {
    let size = context.surroundings.errorWindow()
    let text = context.surroundings.isErrorTerminal ? "\(size.columns) × \(size.rows)" : "standard error is no terminal"
    return [Finding(name: "terminal", ok: true, text: "\(text), progress as \(context.progressKind.rawValue)")]
  }
}
