// swift-tools-version: 6.2
import PackageDescription

/// Every module speaks Swift 6, treats a warning as an error and spells each unsafe pointer.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Tests keep warnings as errors but need not spell `unsafe`: their pointers live for one expression.
let testSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

func module(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: testSettings)
}

let package = Package(
  name: "hermes-transfer",
  products: [
    .executable(name: "hermes-transfer", targets: ["hermes-transfer"]),
    .executable(name: "hermes-gateway", targets: ["hermes-gateway"]),
    .library(name: "HermesTransfer", targets: ["HermesTransfer"]),
  ],
  targets: [
    // The C border: a module map and typed inline wrappers each.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
    .systemLibrary(name: "CMagic", pkgConfig: "libmagic", providers: [.apt(["libmagic-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CPosix"),
    // For tests only: the WebSocket of somebody else.
    .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
    // The inner loops of media frames, the only C with code of its own.
    .target(name: "CKernels"),

    // Bottom to top.
    module("Core"),
    module("Posix", ["CPosix"]),
    module("Crypto", ["CCrypto"]),
    module("Curl", ["CCurl", "Core", "Posix"]),
    module("Magic", ["CMagic", "Posix"]),
    module("WebSocket", ["CKernels", "Crypto"]),
    .target(
      name: "State", dependencies: ["CSQLite", "Core", "Posix", "Crypto"], path: "state",
      resources: [.embedInCode("migrations")], swiftSettings: settings),
    module(
      "HermesTransfer", path: "Sources/Engine", ["Core", "Posix", "Crypto", "Curl", "Magic", "WebSocket", "State"]),
    module("Gateway", ["CMicroHTTPD", "Core", "Posix", "Crypto", "WebSocket"]),
    module("CLI", ["CInih", "Core", "Posix", "Magic", "State", "HermesTransfer"]),
    .executableTarget(name: "hermes-transfer", dependencies: ["CLI", "Posix"], swiftSettings: settings),
    .executableTarget(name: "hermes-gateway", dependencies: ["Gateway"], swiftSettings: settings),
    // What another program needs of the library; the tests build and run it.
    .executableTarget(
      name: "fetch", dependencies: ["HermesTransfer"], path: "Examples/fetch", swiftSettings: testSettings),

    // The client that the Autobahn|Testsuite examines (scripts/autobahn).
    .executableTarget(
      name: "autobahn-echo", dependencies: ["WebSocket", "Crypto"], path: "Tests/AutobahnEcho",
      swiftSettings: testSettings),

    // Tests: one target a module, and what they share.
    .testTarget(
      name: "TestKit", dependencies: ["Core", "Posix", "WebSocket"], path: "Tests/TestKit",
      exclude: ["Gateways", "UploadServers"], swiftSettings: testSettings),
    tests("CoreTests", ["Core", "TestKit"]),
    tests("PosixTests", ["Posix", "TestKit"]),
    tests("CryptoTests", ["Crypto", "TestKit"]),
    tests("CurlTests", ["Curl", "Core", "Posix", "TestKit"]),
    tests("MagicTests", ["Magic", "Posix", "TestKit"]),
    tests("WebSocketTests", ["WebSocket", "CKernels", "Crypto", "CWslay", "TestKit"]),
    tests("StateTests", ["State", "Core", "Posix", "TestKit"]),
    tests(
      "EngineTests", ["HermesTransfer", "Gateway", "Core", "Posix", "Crypto", "Curl", "WebSocket", "State", "TestKit"]),
    tests("GatewayTests", ["Gateway", "Core", "Posix", "Crypto", "WebSocket", "TestKit"]),
    tests("CLITests", ["CLI", "Core", "Posix", "State", "HermesTransfer", "TestKit"], exclude: ["Golden"]),
    tests("SystemTests", ["Gateway", "Core", "Posix", "Crypto", "TestKit"]),
  ]
)
