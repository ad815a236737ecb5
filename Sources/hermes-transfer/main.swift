import CLI
import Posix

// First of all: threads inherit which signals are not theirs.
let interruption = Interruption()
let status = await Program.run(Array(CommandLine.arguments.dropFirst()), interruption)
// Everything durable is on the disk by now; what exit handlers of the libraries would free, the system frees.
Process.exitNow(status)
