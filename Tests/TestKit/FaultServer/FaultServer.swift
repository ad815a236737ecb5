import Glibc
import Testing

/// An HTTP/1.1 server in this process that fails in named ways at named requests, and remembers what it was asked.
/// A request for a path that it does not serve fails the test when the server stops.
public final class FaultServer: Sendable {
  struct Route {
    var resource: Resource
    /// Where bodies of requests go; it answers instead of the resource.
    var sink: UploadSink?
    var script: [Scripted]
    var requestCount = 0
    /// How often each entry of the script for parts has been used.
    var uses: [Int: Int] = [:]
  }
  struct State {
    var routes: [String: Route] = [:]
    var requests: [RecordedRequest] = []
    var unscripted: [String] = []
    var connectionCount = 0
    var openConnectionCount = 0
    var activeRequestCount = 0
    /// Descriptors of connections that say nothing more.
    var silent: Set<Int32> = []
    var isStopping = false
    var runningThreadCount = 0
  }

  let state = Guarded(State())
  let listener: Int32
  /// Readable once the server is to stop; every wait of every thread looks at it.
  let stopSignal: Int32
  private let stopTrigger: Int32
  /// The port of 127.0.0.1 that it listens on.
  public let port: UInt16
  private let sourceLocation: SourceLocation

  /// Listens on a free port, or on one that `FreePort` gave.
  public init(port: UInt16 = 0, sourceLocation: SourceLocation = #_sourceLocation) {
    self.sourceLocation = sourceLocation
    (listener, self.port) = LoopbackSocket.bound(port)
    precondition(listen(listener, 128) == 0, "cannot listen: \(String(cString: strerror(errno)))")
    (stopSignal, stopTrigger) = TestFiles.pipe()
    run { [self] in acceptConnections() }
  }

  /// The absolute URL of a path.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Serves a resource under a path, with faults at the requests that the script names; again replaces it.
  public func serve(_ path: String, _ resource: Resource, _ script: Scripted...) { serve(path, resource, script) }

  /// The same, with the script in an array.
  public func serve(_ path: String, _ resource: Resource, _ script: [Scripted]) {
    state.withLock { $0.routes[path] = Route(resource: resource, script: script) }
  }

  /// Takes requests with bodies under a path, or all under one that ends in `*`, with faults at those that the script
  /// names. The sink answers a request, from the thread of its connection.
  public func take(_ path: String, _ script: Scripted..., sink: @escaping UploadSink) { take(path, script, sink: sink) }

  /// The same, with the script in an array.
  public func take(_ path: String, _ script: [Scripted], sink: @escaping UploadSink) {
    let resource = Resource(.bytes([]))
    state.withLock { $0.routes[path] = Route(resource: resource, sink: sink, script: script) }
  }

  /// Everything asked so far, in order of arrival.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }
  /// What was asked of one path.
  public func requests(_ path: String) -> [RecordedRequest] { requests.filter { $0.path == path } }
  /// Body bytes handed to sockets in all.
  public var bodyByteCount: Int64 { requests.reduce(0) { $0 + $1.bodyByteCount } }
  /// Connections accepted in all.
  public var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// Waits until what was asked and answered is as wished; false when it did not get so in time.
  public func wait(seconds: Double = 120, until condition: ([RecordedRequest]) -> Bool) -> Bool {
    state.wait(seconds: seconds) { condition($0.requests) }
  }

  /// Cuts every connection that stalls, so that a test decides when a stall ends.
  public func cutStalled() {
    state.withLock { state in
      for descriptor in state.silent { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Ends every connection and thread; records requests that nothing covered.
  public func stop() {
    let wasStopping = state.withLock { state in
      defer { state.isStopping = true }
      return state.isStopping
    }
    if wasStopping { return }
    // A byte, not the pipe's end: a child started meanwhile may hold a copy of our end.
    precondition(write(stopTrigger, [1], 1) == 1, "cannot write to a pipe")
    let isDone = state.wait(seconds: 10) { $0.runningThreadCount == 0 }
    if !isDone { Issue.record("the server's threads did not end", sourceLocation: sourceLocation) }
    close(stopSignal)
    close(stopTrigger)
    for request in state.withLock({ $0.unscripted }) {
      Issue.record("nobody expected \(request)", sourceLocation: sourceLocation)
    }
  }

  private func run(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.runningThreadCount += 1 }
    startThread { [state] in
      body()
      state.withLock { $0.runningThreadCount -= 1 }
    }
  }

  private func acceptConnections() {
    defer { close(listener) }
    while Readiness.wait(for: listener, POLLIN, stop: stopSignal) {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let number = state.withLock { state in
        state.connectionCount += 1
        state.openConnectionCount += 1
        return state.connectionCount
      }
      run { [self] in
        FaultConnection(descriptor, number: number, server: self).run()
        state.withLock { $0.openConnectionCount -= 1 }
      }
    }
  }

  /// Takes a request in, and says what to answer, where that is known without its body, and where its record stands.
  func accept(_ head: RequestHead, connection: Int) -> Admission {
    state.withLock { state in
      state.activeRequestCount += 1
      guard let path = state.route(of: head.path), var route = state.routes[path] else {
        state.unscripted.append("\(head.method) \(head.target)")
        var plan = ResponsePlan()
        plan.replace(status: 500, text: "nobody expected this\n")
        state.requests.append(RecordedRequest(number: 0, head: head, connection: connection))
        return Admission(record: state.requests.count - 1, plan: plan)
      }
      route.requestCount += 1
      let faults = route.faults(for: head)
      state.routes[path] = route
      var record = RecordedRequest(number: route.requestCount, head: head, connection: connection)
      var admission = Admission(record: state.requests.count, faults: faults, sink: route.sink)
      if route.sink == nil {
        let plan = ResponsePlan(head, resource: route.resource, faults: faults, activeCount: state.activeRequestCount)
        record.status = plan.status
        admission.plan = plan
      }
      state.requests.append(record)
      return admission
    }
  }

  func sent(_ byteCount: Int, record: Int) {
    state.withLock { $0.requests[record].bodyByteCount += Int64(byteCount) }
  }

  func finished(record: Int) {
    state.withLock { state in
      state.activeRequestCount -= 1
      state.requests[record].isFinished = true
    }
  }
}

extension FaultServer.State {
  /// Under what a path is served: itself, else the longest beginning.
  fileprivate func route(of path: String) -> String? {
    if routes[path] != nil { return path }
    return routes.keys.filter { $0.hasSuffix("*") && path.hasPrefix($0.dropLast()) }.max { $0.count < $1.count }
  }
}

extension FaultServer.Route {
  /// The faults of the request that has just been counted.
  mutating func faults(for head: RequestHead) -> [Fault] {
    var faults: [Fault] = []
    for (index, entry) in script.enumerated() {
      switch entry.condition {
      case .numbers(let numbers):
        if numbers.contains(requestCount) { faults += entry.faults }
      case .part(let offset, let times):
        guard head.range?.isPart(holding: offset) == true, uses[index, default: 0] < times else { continue }
        uses[index, default: 0] += 1
        faults += entry.faults
      }
    }
    return faults
  }
}

/// Waiting for a socket without missing the order to stop.
enum Readiness {
  /// True once the descriptor is ready; false when the server is to stop, or after the time.
  static func wait(for descriptor: Int32, _ events: Int32, stop: Int32, milliseconds: Int32 = -1) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, milliseconds)
      if count < 0 && errno == EINTR { continue }
      return count > 0 && polled[1].revents == 0
    }
  }
}
