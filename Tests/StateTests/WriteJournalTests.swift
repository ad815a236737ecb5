import Core
import TestKit
import Testing

@testable import State

struct WriteJournalTests {
  let folder = TemporaryFolder("state")
  private let id = TransferID.sample(1)
  private let boot = "0a1b2c3d-0000-1111-2222-333344445555"

  private var path: String { folder.path("journal/\(id)") }

  private func create(held: RangeSet = RangeSet()) throws -> WriteJournal {
    try WriteJournal.create(folder: folder.path, id: id, bootID: boot, device: 7, inode: 8, held: held)
  }

  private func read(bootID: String? = nil, device: UInt64 = 7, inode: UInt64 = 8) -> RangeSet? {
    WriteJournal.read(folder: folder.path, id: id, bootID: bootID ?? boot, device: device, inode: inode)
  }

  @Test func `what was written by several lanes comes back`() throws {
    let journal = try create()
    #expect(read() == RangeSet())
    let (one, other) = (try journal.addRecord(), try journal.addRecord())
    #expect(read() == RangeSet())
    try journal.extend(one, ByteRange(0, 10))
    try journal.extend(other, ByteRange(1 << 40, (1 << 40) + 5))
    try journal.extend(one, ByteRange(0, 25))
    #expect(read() == RangeSet([ByteRange(0, 25), ByteRange(1 << 40, (1 << 40) + 5)]))
  }

  @Test func `a journal counts only in the same boot and for the same file`() throws {
    let journal = try create()
    try journal.extend(journal.addRecord(), ByteRange(0, 10))
    #expect(read() != nil)
    #expect(read(bootID: "0a1b2c3d-0000-1111-2222-333344445556") == nil)
    #expect(read(device: 8) == nil)
    #expect(read(inode: 9) == nil)
    #expect(WriteJournal.read(folder: folder.path, id: .sample(2), bootID: boot, device: 7, inode: 8) == nil)
  }

  @Test func `where the boot has no ID no journal is believed`() throws {
    let journal = try WriteJournal.create(folder: folder.path, id: id, bootID: "", device: 7, inode: 8)
    try journal.extend(journal.addRecord(), ByteRange(0, 10))
    #expect(read(bootID: "") == nil)
  }

  @Test func `a journal made anew keeps what is held and forgets the rest`() throws {
    let old = try create()
    try old.extend(old.addRecord(), ByteRange(0, 100))
    let held = RangeSet([ByteRange(0, 50), ByteRange(60, 70)])
    let new = try create(held: held)
    #expect(read() == held)
    try new.extend(new.addRecord(), ByteRange(50, 60))
    #expect(read() == RangeSet(ByteRange(0, 70)))
    #expect(TestFiles.names(in: folder.path("journal")) == [id.text])
  }

  @Test func `a journal that was removed says nothing`() throws {
    let journal = try create()
    try journal.extend(journal.addRecord(), ByteRange(0, 100))
    try WriteJournal.remove(folder: folder.path, id: id)
    try WriteJournal.remove(folder: folder.path, id: id)
    #expect(read() == nil)
    #expect(TestFiles.names(in: folder.path("journal")) == [])
  }

  @Test func `the bytes are those of the manual`() throws {
    let journal = try create()
    _ = try journal.addRecord()
    try journal.extend(journal.addRecord(), ByteRange(0x0102, 0x0304_0506_0708))
    let bytes = try #require(TestFiles.read(path))
    #expect(bytes.count == 80 + 2 * 16)
    #expect(Array(bytes[..<16]) == Array("HERMESWJ".utf8) + [1, 0, 0, 0, 16, 0, 0, 0])
    #expect(Array(bytes[16..<56]) == Array(boot.utf8) + [0, 0, 0, 0])
    #expect(Array(bytes[56..<72]) == [7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0])
    #expect(Array(bytes[80...]) == Array(repeating: 0, count: 16) + [2, 1, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 0, 0])
  }

  @Test func `finished records that touch are joined and the file stays small`() throws {
    let journal = try create()
    var written = RangeSet()
    for number in 0..<20_000 {
      let record = try journal.addRecord()
      let range = ByteRange(Int64(number) * 10, Int64(number) * 10 + 10)
      try journal.extend(record, range)
      written.insert(range)
      journal.finish(record)
    }
    #expect(read() == written)
    let limit = Int64(JournalFormat.headerByteCount + (WriteJournal.recordsBeforeJoining + 1) * 16)
    #expect(TestFiles.byteCount(path)! <= limit)
  }

  @Test func `a joining never changes what the journal says, at none of its writes`() throws {
    var before = JournalFormat.Header(bootID: boot, device: 7, inode: 8).bytes
    let journal = try create()
    journal.joinAt = 64
    let active = try journal.addRecord()
    try journal.extend(active, ByteRange(1 << 30, (1 << 30) + 1))
    for number in 1..<64 {
      let record = try journal.addRecord()
      // Runs of four that touch, written backwards, with gaps between the runs.
      let run = Int64(number / 4) * 100
      let place = Int64(3 - number % 4) * 10
      try journal.extend(record, ByteRange(run + place, run + place + 10))
      journal.finish(record)
    }
    let said = read()
    before = try #require(TestFiles.read(path))
    _ = try journal.addRecord()
    #expect(read() == said)
    let after = try #require(TestFiles.read(path))
    #expect(after != before)
    // Every order of writes leaves, at each moment, some records old and some new; the keepers come first.
    let changed = stride(from: 80, to: after.count, by: 16).filter { before[$0..<$0 + 16] != after[$0..<$0 + 16] }
    let isEmptied = { (place: Int) in after[place..<place + 16].allSatisfy { $0 == 0 } }
    for place in changed.filter({ !isEmptied($0) }) + changed.filter(isEmptied) {
      before.replaceSubrange(place..<place + 16, with: after[place..<place + 16])
      let header = JournalFormat.Header(bootID: boot, device: 7, inode: 8)
      #expect(JournalFormat.ranges(in: before, after: header) == said)
    }
    try journal.extend(active, ByteRange(1 << 30, (1 << 30) + 2))
    #expect(read()?.contains(ByteRange(1 << 30, (1 << 30) + 2)) == true, "an active record keeps its place")
  }

  @Test(arguments: Seeds.fromEnvironment(count: 30))
  func `lanes that grow, end and begin leave exactly what they wrote`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let journal = try create()
    var written = RangeSet()
    var lanes: [(record: Int, range: ByteRange)] = []
    var next: Int64 = 0
    for _ in 0..<2_000 {
      if lanes.count < 4 || Int.random(in: 0..<3, using: &random) == 0 {
        next += Int64.random(in: 0..<2, using: &random)
        lanes.append((try journal.addRecord(), ByteRange(next, next)))
        next += 50
      }
      let index = Int.random(in: 0..<lanes.count, using: &random)
      let range = lanes[index].range
      let grown = ByteRange(range.start, min(range.end + Int64.random(in: 1..<40, using: &random), range.start + 50))
      try journal.extend(lanes[index].record, grown)
      lanes[index].range = grown
      written.insert(grown)
      if grown.byteCount == 50 || Int.random(in: 0..<20, using: &random) == 0 {
        journal.finish(lanes.remove(at: index).record)
      }
    }
    #expect(read() == written, "seed \(seed)")
  }

  @Test func `a journal that is cut says what its whole records say`() throws {
    let held = RangeSet((0..<5).map { ByteRange($0 * 20, $0 * 20 + 10) })
    _ = try create(held: held)
    let bytes = try #require(TestFiles.read(path))
    for count in 0...bytes.count {
      TestFiles.write(Array(bytes[..<count]), to: path)
      let expected = count < 80 ? nil : RangeSet(held.ranges.prefix((count - 80) / 16))
      #expect(read() == expected, "cut at \(count)")
    }
  }

  @Test func `a header with any other byte is none`() throws {
    _ = try create(held: RangeSet(ByteRange(0, 10)))
    let bytes = try #require(TestFiles.read(path))
    for place in 0..<80 {
      var damaged = bytes
      damaged[place] ^= 0x10
      TestFiles.write(damaged, to: path)
      #expect(read() == nil, "byte \(place)")
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 200))
  func `records of garbage give ranges in order or nothing`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let header = JournalFormat.Header(bootID: boot, device: 7, inode: 8)
    var bytes = header.bytes
    var expected: [ByteRange] = []
    for _ in 0..<Int.random(in: 0..<50, using: &random) {
      let edges: [Int64] = [0, 1, -1, .min, .max, 1_000, Int64.random(in: .min...(.max), using: &random)]
      let (start, end) = (edges.randomElement(using: &random)!, edges.randomElement(using: &random)!)
      for number in [start, end] { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
      if start >= 0 && start < end { expected.append(ByteRange(start, end)) }
    }
    bytes += (0..<Int.random(in: 0..<16, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(JournalFormat.ranges(in: bytes, after: header) == RangeSet(expected), "seed \(seed)")
  }
}
