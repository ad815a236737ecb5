/// The parts of the manual that no table knows, in mdoc(7).
enum ManualProse {
  static let head = #"""
    .Dd December 1, 2026
    .Dt HERMES-TRANSFER 1
    .Os
    .Sh NAME
    .Nm hermes-transfer
    .Nd fetch files, and send and receive them over an agent's session, whatever happens in between
    .Sh SYNOPSIS
    .Nm
    .Op Ar global flags
    .Ar command
    .Op Ar flags
    .Op Ar arguments
    .Sh DESCRIPTION
    .Nm
    fetches files over HTTP and HTTPS.
    Everything received is written to a hidden file beside its target and recorded on disk,
    so that an interrupted download goes on where it stopped:
    after a lost connection by itself,
    after Ctrl\-C, a crash or a power cut when the same command is typed again or
    .Cm resume
    is called.
    The target's name appears only when the file is complete, checked and synced to the disk.
    .Pp
    Over the session of a profile it also talks to the gateway of a Hermes Agent:
    files go out in parts, and each part counts only when the gateway has read it;
    what the agent sends is saved, in parts or by a link.
    What was accepted from the user is on disk before a command says so, and goes out when the gateway can be reached,
    in this process or a later one.
    While one process has the session of a device, others leave their work to it.
    .Pp
    A transfer is named by an ID of eight characters.
    Wherever an ID is asked for, the first characters are enough while only one transfer starts with them.
    Two processes never work on one transfer: the second says which process has it and exits with status 14.
    .Pp
    A flag takes its value from the next argument, or behind an equals sign.
    Short flags without value may stand together.
    .Fl \-
    ends the flags.
    A switch that the environment or the configuration sets is switched off by
    .Fl \-flag Ns = Ns Cm false .
    """#

  static let output = #"""
    .Sh OUTPUT
    Results go to standard output, everything else to standard error.
    A finished download prints its final path, an upload its ID and end state:
    .Cm delivered
    when the gateway has proved by a digest that it has the file,
    .Cm sent
    when it has read every byte and gives no proof.
    .Cm listen
    prints one line for each thing that comes, beginning with
    .Cm message , prompt , prompt\-done
    or
    .Cm media ;
    with
    .Fl \-json
    each is an object whose
    .Cm event
    is one of these or
    .Cm session .
    .Pp
    With
    .Fl \-progress Cm json
    one JSON object a line goes to standard output, with the members
    .Cm event ,
    .Cm id
    and
    .Cm time .
    The event is
    .Cm added , started , progress , waiting , paused , completed , failed , cancelled
    or
    .Cm note .
    A
    .Cm progress
    event has
    .Cm bytes_done , bytes_total , bytes_per_second , eta_seconds
    and
    .Cm connections ;
    .Cm completed
    has
    .Cm path , bytes
    and
    .Cm sha256 ;
    .Cm failed
    has an
    .Cm error
    with
    .Cm code , exit
    and
    .Cm message ;
    .Cm waiting
    has
    .Cm reason
    and
    .Cm next_try .
    What is not known is null.
    Times are ISO 8601 in UTC.
    .Pp
    .Cm list Fl \-json
    and
    .Cm show Fl \-json
    print an array of objects with
    .Cm id , kind , state , reason , url , path , bytes_done , bytes_total , attempts , error , created_at
    and
    .Cm finished_at ;
    .Cm show
    adds the last attempts, each with
    .Cm dns , connect , tls , first_byte
    and
    .Cm total
    in seconds,
    .Cm bytes , bytes_per_second , http_status
    and
    .Cm reused .
    .Pp
    The states are
    .Cm queued , waiting , running , verifying , paused , completed , sent , delivered , uncertain , failed
    and
    .Cm cancelled .
    A waiting transfer has a reason:
    .Cm network , disk , lock
    or
    .Cm server\-backoff .
    .Pp
    URLs are shown without user, password and query, for these may be secrets.
    """#

  static let environmentRule = """
    Every flag but --help and --version has a variable: its name in capitals behind HERMES_TRANSFER_, with _ for \
    other characters, such as HERMES_TRANSFER_LIMIT_RATE. A switch is set by true and cleared by false. A flag on the \
    command line goes first, then the variable, then the profile, then the rest of the configuration file. Besides \
    these:
    """

  static let variables: [(name: String, meaning: String)] = [
    ("HERMES_TRANSFER_TOKEN", "The token for the gateway, before that of the profile."),
    ("NO_COLOR", "No colour, unless --color asks for it."),
    ("CI", "Progress as lines, unless --progress asks otherwise."),
    ("TERM", "On a dumb terminal, progress comes as lines and without colour."),
    ("XDG_STATE_HOME", "The folder that the state's folder is in, instead of ~/.local/state."),
    ("XDG_CONFIG_HOME", "The folder that the configuration's folder is in, instead of ~/.config."),
    ("http_proxy", "The proxy for http; https_proxy, ALL_PROXY and NO_PROXY as curl(1) has them."),
  ]

  static let files = #"""
    .Sh FILES
    .Bl -tag -width Ds
    .It Pa \(ti/.local/state/hermes\-transfer/
    The state, see
    .Xr hermes-transfer-state 5 .
    .It Pa \(ti/.config/hermes\-transfer/config
    Defaults of flags, one
    .Ql flag = value
    a line with the flag's long name, a switch alone on its line.
    Lines that start with
    .Ql #
    or
    .Ql \&;
    are comments.
    Only its owner should be able to write it.
    .Pp
    A section
    .Ql [profile NAME]
    is a gateway:
    .Ql url ,
    .Ql auth ,
    .Ql token\-file ,
    .Ql media\-dir
    and
    .Ql allow\-plaintext
    as for
    .Cm profile add ,
    and defaults of flags that count when the profile is used.
    Relative paths in it start at the folder of the file.
    .It Pa \(ti/.config/hermes\-transfer/tokens/NAME
    The token of the profile NAME, with mode 0600.
    .It Pa \(ti/.config/hermes\-transfer/device
    The ID that gateways know this machine by, made once.
    A copy on another machine would be taken for this one.
    .It Pa .NAME.ID.hermes\-part
    What is there of the file NAME, in the folder of the target.
    .El
    """#

  static let tail = #"""
    .Sh EXAMPLES
    Fetch a file into the current folder; the same line goes on after an interruption:
    .Pp
    .Dl hermes\-transfer download https://example.org/image.iso
    .Pp
    Check it, under a name of our own:
    .Pp
    .Dl hermes\-transfer download \-o image.iso \-\-checksum sha\-256:9f86d0\[u2026] https://example.org/image.iso
    .Pp
    Fetch a list, ten at once, at most 2 MiB a second:
    .Pp
    .Dl hermes\-transfer download \-i urls.txt \-d files \-j 10 \-\-limit\-rate 2M
    .Pp
    See what is unfinished and go on with all of it:
    .Pp
    .Dl hermes\-transfer list
    .Dl hermes\-transfer resume \-\-all
    .Pp
    Set up a gateway, with a token that is asked for or comes from a password store:
    .Pp
    .Dl hermes\-transfer profile add home \-\-url wss://agent.example.org/ws
    .Dl pass show hermes | hermes\-transfer profile add work \-\-url ws://10.0.0.7:8787/ws \-\-token\-stdin
    .Pp
    Send a token that no other user can see:
    .Pp
    .Dl hermes\-transfer download \-\-bearer\-file token.txt https://example.org/private.bin
    .Sh SEE ALSO
    .Xr curl 1 ,
    .Xr hermes-gateway 1 ,
    .Xr hermes-transfer-state 5
    """#
}
