internal import Glibc

/// The system's clocks.
public enum Clocks {
  /// Nanoseconds of a clock that is never set and stands still while the machine sleeps; CLOCK_MONOTONIC.
  public static func monotonic() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Nanoseconds since the machine started, sleep included; CLOCK_BOOTTIME.
  public static func sinceBoot() -> Int64 { nanoseconds(CLOCK_BOOTTIME) }

  /// Seconds since 1970, as the machine believes; CLOCK_REALTIME.
  public static func wallClock() -> Double { Double(nanoseconds(CLOCK_REALTIME)) / 1e9 }

  /// What tells one boot of the machine from another.
  public static func bootID() -> String { knownBootID }

  private static let knownBootID: String = {
    do throws(Errno) {
      let bytes = try Files.readAll("/proc/sys/kernel/random/boot_id", maxByteCount: 64)
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    } catch {
      // Without /proc nothing is known about the boot: a name that equals no other makes it a new one each time.
      return "unknown-\(UInt64.random(in: 0...(.max)))"
    }
  }()

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It fails only for a clock that the kernel lacks, and these three it has (clock_gettime(2)).
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
