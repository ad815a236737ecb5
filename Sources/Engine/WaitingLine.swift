import Core

/// Transfers that wait for their turn: by priority, then in order of arrival, and host by host, so that one host with
/// ten thousand files does not hold up another's only one.
struct WaitingLine<Element> {
  /// A class: looked up in the dictionary and changed in place, where a struct of 100,000 would be copied each time.
  private final class Line {
    var elements: [(priority: Int, element: Element?)] = []
    var head = 0
    var isEmpty: Bool { head == elements.count }
  }

  private var lines: [String: Line] = [:]
  private var origins: [String] = []
  private var turn = 0
  private(set) var count = 0

  mutating func append(_ element: Element, origin: String, priority: Int) {
    count += 1
    let line = lines[origin] ?? Line()
    if lines.updateValue(line, forKey: origin) == nil { origins.append(origin) }
    // Ahead of all that matter less; mostly that is the end.
    var place = line.elements.count
    while place > line.head, line.elements[place - 1].priority < priority { place -= 1 }
    line.elements.insert((priority, element), at: place)
  }

  func count(origin: String) -> Int { lines[origin].map { $0.elements.count - $0.head } ?? 0 }

  /// The next one, of an origin that `isOpen`; origins take turns within the highest priority there is.
  mutating func next(where isOpen: (String) -> Bool) -> Element? {
    var best: (index: Int, priority: Int)?
    for step in origins.indices {
      let index = (turn + step) % origins.count
      guard let line = lines[origins[index]], !line.isEmpty, isOpen(origins[index]) else { continue }
      let priority = line.elements[line.head].priority
      if priority > best?.priority ?? Int.min { best = (index, priority) }
    }
    guard let best else { return nil }
    turn = (best.index + 1) % origins.count
    return take(origins[best.index], at: best.index)
  }

  private mutating func take(_ origin: String, at index: Int) -> Element? {
    guard let line = lines[origin] else { return nil }
    count -= 1
    // Swapped out, so that the line does not keep alive what has left it.
    let element = line.elements[line.head].element
    line.elements[line.head].element = nil
    line.head += 1
    if line.isEmpty {
      lines[origin] = nil
      origins.remove(at: index)
      turn = origins.isEmpty ? 0 : turn % origins.count
    }
    return element
  }

  /// Empties the line, in no particular order.
  mutating func removeAll() -> [Element] {
    defer { self = WaitingLine() }
    return lines.values.flatMap { line in line.elements[line.head...].compactMap(\.element) }
  }

  mutating func remove(where matches: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for origin in origins {
      guard let line = lines[origin] else { continue }
      let kept = line.elements[line.head...].filter { entry in
        guard let element = entry.element, matches(element) else { return true }
        removed.append(element)
        return false
      }
      line.elements = Array(kept)
      line.head = 0
    }
    count -= removed.count
    for origin in origins where lines[origin]?.isEmpty == true { lines[origin] = nil }
    origins.removeAll { lines[$0] == nil }
    turn = 0
    return removed
  }
}
