# bash completion for hermes-transfer; made by `hermes-transfer completion bash`
_hermes_transfer_ids() {
  hermes-transfer list --json 2>/dev/null | sed -n 's/.*"id" *: *"\([0-9a-z]*\)".*/\1/p'
}

_hermes_transfer_profiles() {
  hermes-transfer profile list --json 2>/dev/null | sed -n 's/.*"name" *: *"\([^"]*\)".*/\1/p'
}

_hermes_transfer() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word flags
  # `--flag=value` comes as three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      download | upload | listen | send | answer | chat | list | show | watch | wait | resume | retry | relink | cancel | remove | profile | doctor | completion | help) command=$word && break ;;
    esac
  done
  case $previous in
    --state-dir) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --config) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --profile) mapfile -t COMPREPLY < <(compgen -W "$(_hermes_transfer_profiles)" -- "$current"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current"); return ;;
    --progress) mapfile -t COMPREPLY < <(compgen -W 'auto bar line json none' -- "$current"); return ;;
    -o | --output) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    -d | --directory) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    -i | --input-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    -n | --connections) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$current"); return ;;
    --checksum) COMPREPLY=(); return ;;
    --if-exists) mapfile -t COMPREPLY < <(compgen -W 'fail rename overwrite skip' -- "$current"); return ;;
    --on-change) mapfile -t COMPREPLY < <(compgen -W 'restart fail' -- "$current"); return ;;
    --mirror) COMPREPLY=(); return ;;
    --priority) COMPREPLY=(); return ;;
    -H | --header) COMPREPLY=(); return ;;
    -A | --user-agent) COMPREPLY=(); return ;;
    -e | --referer) COMPREPLY=(); return ;;
    --bearer-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    -u | --user) COMPREPLY=(); return ;;
    --password-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --netrc-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --cookie-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    -x | --proxy) COMPREPLY=(); return ;;
    --cacert) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    -E | --cert) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --key) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --interface) COMPREPLY=(); return ;;
    --resolve) COMPREPLY=(); return ;;
    --unix-socket) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --limit-rate) COMPREPLY=(); return ;;
    -j | --max-transfers) COMPREPLY=(); return ;;
    --max-per-host) COMPREPLY=(); return ;;
    --connect-timeout) COMPREPLY=(); return ;;
    --stall-timeout) COMPREPLY=(); return ;;
    --deadline) COMPREPLY=(); return ;;
    --max-attempts) COMPREPLY=(); return ;;
    --retry-max-wait) COMPREPLY=(); return ;;
    --url) COMPREPLY=(); return ;;
    --token-file) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --auth) mapfile -t COMPREPLY < <(compgen -W 'query+hello header hello' -- "$current"); return ;;
    --media-dir) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --caption) COMPREPLY=(); return ;;
    --kind) mapfile -t COMPREPLY < <(compgen -W 'image voice video document animation' -- "$current"); return ;;
    --mime) COMPREPLY=(); return ;;
    --name) COMPREPLY=(); return ;;
    --part-size) COMPREPLY=(); return ;;
    --once) mapfile -t COMPREPLY < <(compgen -W 'message prompt media' -- "$current"); return ;;
    --timeout) COMPREPLY=(); return ;;
    --text) COMPREPLY=(); return ;;
    --max-message) COMPREPLY=(); return ;;
    --max-media) COMPREPLY=(); return ;;
    --max-open-media) COMPREPLY=(); return ;;
    --max-assembly) COMPREPLY=(); return ;;
    --state) mapfile -t COMPREPLY < <(compgen -W 'queued waiting running verifying paused completed sent delivered uncertain failed cancelled' -- "$current"); return ;;
  esac
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'download upload listen send answer chat list show watch wait resume retry relink cancel remove profile doctor completion help --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' -- "$current")
    return
  fi
  case $command in
    download) flags='--output --directory --input-file --connections --no-resume --checksum --if-exists --on-change --mirror --wait-for-disk --priority --header --user-agent --referer --bearer-file --user --password-file --netrc --netrc-file --cookie-file --proxy --cacert --cert --key --insecure --allow-downgrade --http1.1 --http2 --ipv4 --ipv6 --interface --resolve --unix-socket --limit-rate --max-transfers --max-per-host --connect-timeout --stall-timeout --deadline --max-attempts --retry-max-wait --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    upload) flags='--priority --header --user-agent --proxy --cacert --cert --key --insecure --ipv4 --ipv6 --interface --resolve --unix-socket --deadline --max-attempts --caption --kind --mime --name --part-size --at-most-once --max-message --max-media --max-open-media --max-assembly --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    listen) flags='--header --user-agent --proxy --cacert --cert --key --insecure --ipv4 --ipv6 --interface --resolve --unix-socket --limit-rate --media-dir --once --timeout --max-message --max-media --max-open-media --max-assembly --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    send) flags='--header --user-agent --proxy --cacert --cert --key --insecure --ipv4 --ipv6 --interface --resolve --unix-socket --max-attempts --timeout --max-message --max-media --max-open-media --max-assembly --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    answer) flags='--header --user-agent --proxy --cacert --cert --key --insecure --ipv4 --ipv6 --interface --resolve --unix-socket --max-attempts --timeout --text --max-message --max-media --max-open-media --max-assembly --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    chat) flags='--header --user-agent --proxy --cacert --cert --key --insecure --ipv4 --ipv6 --interface --resolve --unix-socket --limit-rate --media-dir --max-message --max-media --max-open-media --max-assembly --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    list) flags='--state --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    resume) flags='--limit-rate --max-transfers --max-per-host --all --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    retry) flags='--limit-rate --max-transfers --max-per-host --all --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    cancel) flags='--all --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    remove) flags='--all --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    profile) flags='--url --token-file --token-stdin --auth --media-dir --allow-plaintext --state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
    *) flags='--state-dir --config --profile --json --quiet --verbose --color --progress --help --version' ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    return
  fi
  case $command in
    list | show | watch | wait | resume | retry | relink | cancel | remove)
      mapfile -t COMPREPLY < <(compgen -W "$(_hermes_transfer_ids)" -- "$current") ;;
    profile) mapfile -t COMPREPLY < <(compgen -W 'add list show remove'" $(_hermes_transfer_profiles)" -- "$current") ;;
    completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$current") ;;
    help) mapfile -t COMPREPLY < <(compgen -W 'download upload listen send answer chat list show watch wait resume retry relink cancel remove profile doctor completion help' -- "$current") ;;
  esac
} && complete -F _hermes_transfer hermes-transfer
