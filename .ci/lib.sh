# Shared by the sections. Sourced, not run; the working directory is the
# repository's root.

out=.ci/out

# A section that cannot run here, through no fault of the tree, ends with this
# status after saying why.
skipped=77

say() { printf '%s\n' "$*"; }

# skip REASON: leave the section, loudly.
skip() {
  say "!!! SKIPPED: $*"
  exit "$skipped"
}

# busy: whether the output of a command says that a registry was. Lines of a diff
# are not the registry's words.
busy() {
  grep -vE '^[-+@ ]' |
    grep -qiE '\b429\b|too many requests|\b50[234]\b|timeout|timed out|connection reset|unexpected EOF|temporary failure'
}

# retry COMMAND...: run a command that fetches modules or packages. A registry
# that is busy is asked again, up to six times; any other failure is final.
retry() {
  local attempt=1 pause=5 log
  log=$(mktemp)
  while true; do
    if "$@" >"$log" 2>&1; then
      cat "$log"; rm -f "$log"
      return 0
    fi
    cat "$log"
    if [ "$attempt" -ge 6 ] || ! busy <"$log"; then
      rm -f "$log"
      return 1
    fi
    say "--- busy, attempt $attempt of 6; again in ${pause}s"
    sleep "$pause"
    attempt=$((attempt + 1))
    pause=$((pause * 2))
  done
}

# debian PACKAGE...: install from Debian's packages, where that is possible.
debian() {
  command -v apt-get >/dev/null 2>&1 || return 1
  [ "$(id -u)" = 0 ] || return 1
  retry apt-get update -qq && DEBIAN_FRONTEND=noninteractive retry apt-get install -y -qq --no-install-recommends "$@"
}
