import Gateway
import Glibc

exit(GatewayMain.run(Array(CommandLine.arguments.dropFirst())))
