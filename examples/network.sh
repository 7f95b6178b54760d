#!/bin/sh
# Provisions a network and removes it again, with curl.
set -eu

call() {
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer $GANTRY_TOKEN" \
    --header "Content-Type: application/json" --request "$1" "$GANTRY_URL$2" ${3:+--data "$3"}
}

# Prints one field of the JSON on standard input: field request.id
field() {
  node -e 'let text = ""; process.stdin.on("data", (part) => { text += part; }).on("end", () =>
    console.log(process.argv[1].split(".").reduce((value, key) => value[key], JSON.parse(text))));' "$1"
}

# Waits until a Request has ended, and fails if it failed.
follow() {
  until [ "$(call GET "/requests/$1?wait=60" | field request.finished_at)" != null ]; do :; done
  call GET "/requests/$1" | field request.request_status
  [ "$(call GET "/requests/$1" | field request.successful)" = true ]
}

request=$(call POST /networks \
  "{\"provider\": $GANTRY_PROVIDER, \"network\": {\"cidr\": \"10.0.0.0/16\", \"location\": \"us-east-1\"}}" | field request.id)
follow "$request"

network=$(call GET "/requests/$request" | field request.resource)
network=${network##*/}
call GET "/networks/$network" | field network.provisioned_id

for subnet in $(call GET "/subnets?network=$network" |
  node -e 'let text = ""; process.stdin.on("data", (part) => { text += part; }).on("end", () =>
    console.log(JSON.parse(text).subnets.map(({ id }) => id).join("\n")));'); do
  follow "$(call DELETE "/subnets/$subnet" | field request.id)"
done
follow "$(call DELETE "/networks/$network" | field request.id)"
