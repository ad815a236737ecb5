import Testing

@testable import Core

@Suite struct PartSizerTests {
  @Test func `W1 a refused size shrinks to three quarters, then by the usual limits, to 48 KiB and no further`() {
    var sizer = PartSizer()
    var sizes = [sizer.byteCount]
    while sizer.lower(below: sizer.byteCount) { sizes.append(sizer.byteCount) }
    #expect(sizes == [3_145_728, 2_359_296, 1_048_575, 524_286, 262_143, 131_070, 49_152])
    #expect(sizes.allSatisfy { $0.isMultiple(of: 3) })
    #expect(sizer.wasLowered)
  }

  @Test func `what was refused counts, not what a part might have had`() {
    var sizer = PartSizer()
    let isLowered = sizer.lower(below: 400_000)
    #expect(isLowered)
    #expect(sizer.byteCount == 300_000)
    var small = PartSizer()
    let isSmallLowered = small.lower(below: 48 << 10)
    #expect(!isSmallLowered)
    #expect(small.byteCount == 3_145_728)
  }

  static let sizes: [(wanted: Int, remembered: Int?, offered: Int?, size: Int)] = [
    (3_145_728, nil, nil, 3_145_728), (1 << 20, nil, nil, 1_048_575), (3_145_728, 500_000, nil, 499_998),
    (3_145_728, nil, 1 << 20, 1_048_575), (100_000, 500_000, 1 << 20, 99_999), (1, nil, nil, 3), (0, nil, nil, 3),
  ]

  @Test(arguments: sizes) func `the smallest word counts, as a multiple of 3`(
    wanted: Int, remembered: Int?, offered: Int?, size: Int
  ) {
    #expect(PartSizer(wanted: wanted, remembered: remembered, offered: offered).byteCount == size)
  }

  @Test func `T18 a part of our own size fits a message as we take it`() {
    let id = String(repeating: "x", count: MediaFrame.maxIDByteCount)
    let name = String(repeating: "\u{1}", count: SafeFileName.maxByteCount)
    let frame = MediaFrame(id: id, kind: .animation, mime: "application/octet-stream", parts: 4096, fileName: name)
    let text = frame.shell.messageByteCount(carrying: PartSizer.usualByteCount)
    #expect(text > 4 << 20 && text < MediaLimits().maxMessageByteCount)
  }
}
