#!/bin/sh
# Creates an API key behind a proxy that distributes keys over several gateways (docs/scaling.md), and prints the answer.
#
#   create-key.sh https://models.example '{"name":"CI","scope":"full","spendLimitUsd":20}' http://127.0.0.1:8655 < admin-key
#
# The proxy chooses a key's gateway by its secret, which only the gateway that creates it can make. So this creates keys until
# the proxy sends one to the gateway that has created it; each other one is revoked at once. With N gateways this takes N
# attempts on average.
set -eu
proxy=$1 body=$2 gateway=$3
IFS= read -r admin

call() { curl --silent --show-error --max-time 20 "$@"; }
value() { printf '%s' "$2" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"; }

attempt=0
while [ $attempt -lt 200 ]; do
  attempt=$((attempt + 1))
  # Headers from stdin, so that no secret is among the arguments of a process.
  created=$(printf 'Authorization: Bearer %s\n' "$admin" |
    call --fail-with-body -H @- -H 'Content-Type: application/json' -d "$body" "$gateway/v1/keys")
  secret=$(value secret "$created")
  id=$(value id "$created")
  [ -n "$secret" ] || { printf '%s\n' "$created" >&2; exit 1; }
  status=$(printf 'Authorization: Bearer %s\n' "$secret" |
    call -H @- -o /dev/null -w '%{http_code}' "$proxy/v1/key")
  if [ "$status" = 200 ]; then
    printf '%s\n' "$created"
    exit 0
  fi
  printf 'Authorization: Bearer %s\n' "$admin" | call -H @- -o /dev/null -X DELETE "$gateway/v1/keys/$id"
  [ "$status" = 401 ] || { echo "The proxy answered $status to the new key." >&2; exit 1; }
done
echo "The proxy sent none of $attempt keys to $gateway: is it one of its servers?" >&2
exit 1
