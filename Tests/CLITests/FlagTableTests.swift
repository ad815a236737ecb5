import Testing

@testable import CLI

@Suite struct FlagTableTests {
  @Test func `every name has its flag, once`() {
    #expect(FlagTable.all.count == FlagName.allCases.count)
    #expect(Set(FlagTable.all.map(\.name)) == Set(FlagName.allCases))
  }

  @Test func `no two flags of a command share a short`() {
    for command in CommandName.allCases {
      let shorts = FlagTable.flags(of: command).compactMap(\.short)
      #expect(Set(shorts).count == shorts.count, "\(command)")
    }
  }

  @Test func `a short means one flag in all commands`() {
    let shorts = FlagTable.all.compactMap(\.short)
    #expect(Set(shorts).count == shorts.count)
  }

  @Test func `names of the environment are told apart`() {
    let names = FlagTable.all.map(\.environmentName)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { name in name.utf8.allSatisfy { (48..<91).contains($0) || $0 == 95 } })
  }

  @Test(arguments: FlagTable.all.map(\.name)) func `every flag is documented`(name: FlagName) throws {
    let flag = try #require(FlagTable.byName[name])
    #expect(!flag.summary.isEmpty && flag.summary.count <= 50)
    #expect(flag.summary.last != "." && flag.details.last == ".")
    #expect(flag.summary.prefix { $0.isLetter }.dropFirst().allSatisfy { $0.isLowercase || $0.isUppercase })
    if let argument = flag.argument { #expect(!argument.label.isEmpty) }
  }

  @Test func `every line of every help fits 80 columns`() {
    let pages = CommandTable.all.map { HelpText.page(of: $0.name) } + [HelpText.overview()]
    for line in pages.flatMap({ $0.split(separator: "\n") }) {
      #expect(DisplayWidth.of(String(line)) <= 80, "\(line)")
    }
  }

  @Test func `every command is told once and has its operands`() {
    let names = CommandTable.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names).union([.generate]) == Set(CommandName.allCases))
    #expect(CommandTable.all.allSatisfy { $0.details.hasSuffix(".") && !$0.summary.isEmpty })
  }

  @Test func `nothing that later work brings is named`() {
    let text = HelpText.overview() + CommandTable.all.map { HelpText.page(of: $0.name) }.joined() + Manual.page()
    for word in ["--protocol", "daemon", "--background", "--when", "--not-before", "--on-complete"] {
      #expect(!text.contains(word), "\(word)")
    }
  }
}
