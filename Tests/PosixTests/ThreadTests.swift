import TestKit
import Testing

@testable import Posix

@Suite struct ThreadTests {
  @Test func `a thread has its name, and has ended after join`() {
    let name = Guarded("")
    let thread = Thread(name: "a long name of a thread") {
      let told = TestFiles.read("/proc/thread-self/comm") ?? []
      name.withLock { $0 = String(decoding: told, as: UTF8.self) }
    }
    thread.join()
    thread.join()
    #expect(name.withLock { $0 } == "a long name of \n")
    #expect(!thread.isCurrent)
  }

  @Test func `a thread nobody joins runs all the same`() {
    let condition = Condition()
    let hasRun = Guarded(false)
    _ = Thread(name: "test") {
      hasRun.withLock { $0 = true }
      condition.withLock { condition.signal() }
    }
    condition.withLock { while !hasRun.withLock({ $0 }) { condition.wait() } }
    #expect(hasRun.withLock { $0 })
  }

  @Test func `a lock lets one thread in at a time`() {
    let count = Guarded(0)
    let threads = (0..<4).map { _ in
      Thread(name: "test") { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 40_000)
  }

  @Test func `an error leaves the lock open`() {
    let lock = Lock()
    #expect(throws: Errno.busy) { try lock.withLock { () throws(Errno) in throw .busy } }
    #expect(lock.withLock { 7 } == 7)
  }

  @Test func `a wait ends at its moment`() {
    let condition = Condition()
    let moment = Clocks.monotonic() + 2_000_000
    condition.withLock { while condition.wait(untilMonotonic: moment) {} }
    #expect(Clocks.monotonic() >= moment)
    #expect(condition.withLock { !condition.wait(untilMonotonic: -1) })
  }

  @Test func `a signal wakes all who wait`() {
    let condition = Condition()
    let state = Guarded((waiting: 0, isOpen: false))
    let threads = (0..<3).map { _ in
      Thread(name: "test") {
        condition.withLock {
          state.withLock { $0.waiting += 1 }
          condition.signal()
          while !state.withLock({ $0.isOpen }) { condition.wait() }
        }
      }
    }
    condition.withLock {
      while state.withLock({ $0.waiting }) < 3 { condition.wait() }
      state.withLock { $0.isOpen = true }
      condition.signal()
    }
    for thread in threads { thread.join() }
  }
}

@Suite struct ClocksTests {
  @Test func `clocks go forward`() {
    let before = (Clocks.monotonic(), Clocks.sinceBoot())
    #expect(before.0 > 0 && before.1 >= before.0)
    #expect(Clocks.monotonic() >= before.0 && Clocks.sinceBoot() >= before.1)
    #expect(Clocks.wallClock() > 1.7e9)
  }

  @Test func `a boot has one name`() throws {
    let name = Clocks.bootID()
    #expect(name == Clocks.bootID())
    let told = try Files.openToRead("/proc/sys/kernel/random/boot_id").readAll(maxByteCount: 100)
    #expect(name.utf8.count == 36 && name + "\n" == String(decoding: told, as: UTF8.self))
  }
}
