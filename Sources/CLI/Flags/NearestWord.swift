/// What somebody may have meant who mistyped a word.
enum NearestWord {
  /// The word with the fewest edits to `typed`, when they are few for its length; the first of equals.
  static func find(_ typed: String, in words: [String]) -> String? {
    let limit = max(1, typed.utf8.count / 3)
    var best: (word: String, distance: Int)?
    for word in words {
      let distance = distance(Array(typed.utf8), Array(word.utf8))
      if distance <= limit, distance < best?.distance ?? .max { best = (word, distance) }
    }
    return best?.word
  }

  /// Insertions, removals, replacements and swaps of neighbours (optimal string alignment distance).
  static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in 0..<one.count {
      var current = [row + 1]
      current.reserveCapacity(other.count + 1)
      for column in 0..<other.count {
        let replacement = last[column] + (one[row] == other[column] ? 0 : 1)
        var best = min(last[column + 1] + 1, current[column] + 1, replacement)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
