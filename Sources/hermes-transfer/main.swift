import CLI
import Posix

let status = await Program.run(Array(CommandLine.arguments.dropFirst()))
// Everything durable is on the disk by now; what exit handlers of the libraries would free, the system frees.
Process.exitNow(status)
