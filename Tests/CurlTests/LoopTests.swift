import Core
import TestKit
import Testing

@testable import Curl

/// An actor that lives on a loop.
private actor Guest {
  private nonisolated let loop: CurlLoop
  private var count = 0

  init(_ loop: CurlLoop) { self.loop = loop }
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  func isOnLoop() -> Bool { loop.isIsolatingCurrentContext() == true }
  func threadName() -> String? { currentThreadName() }

  func add() -> Int {
    count += 1
    return count
  }

  func addTwice() async -> Int {
    count += 1
    await Task.yield()
    count += 1
    return count
  }

  nonisolated func assumed() -> Int { assumeIsolated { $0.count } }
}

private func currentThreadName() -> String? { TestFiles.text("/proc/thread-self/comm") }

/// Touched on the loop's thread only; the thread sanitizer watches.
private final class Counter: @unchecked Sendable {
  var count = 0
  var order: [Int] = []
}

@Suite(.timeLimit(.minutes(5))) struct LoopTests {
  @Test func `an actor runs on the loop's thread`() async {
    await withLoop { loop, _ in
      let guest = Guest(loop)
      #expect(await guest.isOnLoop())
      #expect(await guest.threadName() == "loop\n")
      #expect(loop.isIsolatingCurrentContext() == false)
      let total = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<50 { group.addTask { await guest.add() } }
        for _ in 0..<50 { group.addTask { await guest.addTwice() } }
        return await group.reduce(0, max)
      }
      #expect(total == 150)
      let assumed = await loop.onThread { guest.assumed() }
      #expect(assumed == 150)
    }
  }

  @Test func `work from many threads runs once, each thread's in its order`() async {
    await withLoop { loop, _ in
      let counter = Counter()
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<8 {
          group.addTask {
            for number in 0..<500 { loop.post { counter.order.append(thread * 1000 + number) } }
          }
        }
      }
      let order = await loop.onThread { counter.order }
      #expect(order.count == 4000)
      for thread in 0..<8 {
        #expect(order.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
      }
    }
  }

  @Test func `work posted by work runs as well`() async {
    await withLoop { loop, _ in
      let counter = Counter()
      @Sendable func again(_ rest: Int, _ done: @escaping @Sendable () -> Void) {
        counter.count += 1
        rest == 0 ? done() : loop.post { again(rest - 1, done) }
      }
      await handedOver { done in loop.post { again(100) { done(()) } } }
      let count = await loop.onThread { counter.count }
      #expect(count == 101)
    }
  }

  @Test func `the tick comes when it was wished for`() async {
    await withLoop { loop, _ in
      let moments: [Instant] = await handedOver { done in
        loop.post {
          var moments: [Instant] = []
          loop.tick = { now in
            if let last = moments.last, now.seconds(since: last) < 0.02 { return last + 0.02 }
            moments.append(now)
            guard moments.count == 5 else { return now + 0.02 }
            loop.tick = nil
            done(moments)
            return nil
          }
        }
      }
      let gaps = zip(moments, moments.dropFirst()).map { $1.seconds(since: $0) }
      #expect(gaps.allSatisfy { $0 >= 0.02 })
      // Generous: the machine may be busy, but a loop that slept for its longest would take minutes.
      #expect(gaps.allSatisfy { $0 < 10 })
    }
  }

  @Test func `a loop that waits for a tick does not spin`() async {
    await withLoop { loop, _ in
      let turns: Int = await handedOver { done in
        loop.post {
          var turns = 0
          var end: Instant?
          loop.tick = { now in
            turns += 1
            let due = end ?? now + 0.2
            end = due
            guard now >= due else { return due }
            loop.tick = nil
            done(turns)
            return nil
          }
        }
      }
      #expect(turns <= 4)
    }
  }

  @Test func `stopping does what is queued and drops what runs`() async {
    let server = ByteServer { peer in
      while peer.readHead() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") }
    }
    defer { server.stop() }
    let loop = CurlLoop(maxConnections: 4)
    loop.start()
    let (fetch, counter) = (Fetch(), Counter())
    let request = CurlRequest(url: server.url())
    await handedOver { done in
      loop.post {
        fetch.onBody = { _ in
          done(())
          return .proceed
        }
        fetch.transfer.prepare(request)
        loop.start(fetch.transfer, owner: fetch)
      }
    }
    for _ in 0..<100 { loop.post { counter.count += 1 } }
    loop.stop()
    #expect(counter.count == 100)
    #expect(fetch.results.isEmpty)
    #expect(!fetch.transfer.isRunning)
    loop.stop()
    fetch.forget()
  }

  @Test func `a queue that is to end lets nobody sleep`() {
    let queue = JobQueue()
    #expect(queue.isIdle && !queue.isFinished)
    #expect(queue.append(.work {}))
    #expect(!queue.append(.work {}))
    queue.stop()
    #expect(!queue.isIdle && !queue.isFinished)
    var jobs: [LoopJob] = []
    queue.take(into: &jobs)
    #expect(jobs.count == 2)
    // Its wake may have come and gone with the jobs before.
    #expect(!queue.isIdle && queue.isFinished)
  }

  @Test func `a loop that was never started can be let go`() {
    let loop = CurlLoop(maxConnections: 4)
    loop.stop()
  }
}
