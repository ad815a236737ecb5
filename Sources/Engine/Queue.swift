/// First in, first out. Taking costs the same however many wait, and what was taken is let go of at once.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[head] }
  var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func replaceLast(with element: Element) { elements[elements.count - 1] = element }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    // Half of it at a time: each element moves once, on average.
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes those out that `isWanted` names.
  mutating func remove(where isWanted: (Element) -> Bool) -> [Element] {
    let all = elements[head...].compactMap(\.self)
    elements = all.filter { !isWanted($0) }
    head = 0
    return all.filter(isWanted)
  }
}
