#!/bin/sh
# A first look, made from nothing in a few seconds: an agent that pays a refund after two of three people said yes, everything that
# was recorded of it in one signed file, the verification of that file, and what tampering with it looks like. Writes to ./demo only.
set -eu
cd "$(dirname "$0")/.."
rm -rf demo
node dist/scripts/demo/main.js demo

say() { printf '\n%s\n' "$*"; }
# Runs audit, shows the first lines of what it says, and insists on the exit status that it must have.
show() {
  expected=$1
  lines=$2
  shift 2
  printf '\n$ audit %s\n' "$*"
  status=0
  node dist/cmd/audit.js "$@" --format text >demo/.out 2>&1 || status=$?
  sed -n "1,${lines}p" demo/.out | sed 's/^/    /'
  [ "$(wc -l <demo/.out)" -le "$lines" ] || echo '    ...'
  echo "    exit status $status"
  rm -f demo/.out
  [ "$status" -eq "$expected" ] || { echo "expected status $expected" >&2; exit 70; }
}

say 'A customer wants 480.00 back. An AI agent asks to pay; two of three people approve, each with'
echo 'a certificate of their company; the money goes out. This is what was recorded of it:'
echo
ls -p demo | grep -v '\.key$' | sed 's/^/    demo\//'

say '1. The regulator gets one file, demo/refund.bundle, and has a trust file with the keys that'
echo '   it knows from elsewhere. Everything is verified from the bytes alone, offline:'
show 0 40 verify demo/refund.bundle --trust demo/trust.json

say '2. Somebody edits the session, so that less money was paid:'
sed '6s/480\.00/180.00/' demo/session.jsonl >demo/edited.jsonl
show 1 12 verify demo/edited.jsonl --head demo/session-head.json --trust demo/trust.json

say '3. Somebody takes the last two entries away. Every line that is left is genuine:'
sed '$d' demo/session.jsonl | sed '$d' >demo/cut.jsonl
show 1 12 verify demo/cut.jsonl --head demo/session-head.json --trust demo/trust.json

say '4. Somebody makes a bundle of the edited session and signs it with a key of their own:'
node dist/cmd/audit.js bundle emit demo/edited.jsonl --trust demo/trust.json --key demo/log.key \
  --at 2026-11-30T09:00:00Z --out demo/forged.bundle 2>/dev/null
show 1 12 verify demo/forged.bundle --trust demo/trust.json

say 'Next, try:'
cat <<'NEXT'

    alias audit="node $PWD/dist/cmd/audit.js"
    audit bundle inspect demo/refund.bundle --member README.txt   # check it without this program
    audit verify demo/refund.bundle                               # the same without any trust: what is left
    audit verify demo/refund.bundle --trust demo/trust.json --format html=demo/report.html
    audit show demo/session.jsonl
    audit approvals demo/journal.json --head demo/decisions-head.json --status demo/archive --trust demo/trust.json
    audit notifications demo/notifications.json --head demo/notifications-head.json --journal demo/journal.json --trust demo/trust.json
    audit bundle redact demo/refund.bundle --drop inputs/session.jsonl --key demo/maker.key --out demo/public.bundle
    audit explain session/id-mismatch
NEXT
