#!/bin/sh
# Prints a file with an anchor before every line: N#hhhh|text
# usage: read-with-hashes.sh FILE [--start N] [--end N]
set -eu

usage() {
  echo "usage: read-with-hashes.sh FILE [--start N] [--end N]" >&2
  exit 2
}

# Replaces this shell, so that the calling agent is the parent of kedge: that is how it is told from others.
run_kedge() {
  if [ -n "${KEDGE:-}" ]; then exec "$KEDGE" "$@"; fi
  if command -v kedge >/dev/null 2>&1; then exec kedge "$@"; fi
  beside="$(dirname "$0")/../../../dist/bin.cjs"
  if [ -f "$beside" ]; then exec node "$beside" "$@"; fi
  echo "kedge is not on the PATH: install it, or set KEDGE to its path" >&2
  exit 1
}

file=
start=1
end=999999999
while [ $# -gt 0 ]; do
  case $1 in
    --start) [ $# -ge 2 ] || usage; start=$2; shift 2 ;;
    --end) [ $# -ge 2 ] || usage; end=$2; shift 2 ;;
    --) [ $# -eq 2 ] || usage; [ -z "$file" ] || usage; file=$2; shift 2 ;;
    -?*) usage ;;
    *) [ -z "$file" ] || usage; file=$1; shift ;;
  esac
done
[ -n "$file" ] || usage

run_kedge read --anchors hex4 --start "$start" --end "$end" -- "$file"
