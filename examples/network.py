"""Provisions a network and removes it again, with Python's standard library."""
import json, os, urllib.request

URL, TOKEN = os.environ["GANTRY_URL"], os.environ["GANTRY_TOKEN"]


def call(method, path, body=None):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


def follow(request):
    """Waits until a Request has ended, and raises where it failed."""
    while not request["finished_at"]:
        request = call("GET", f"/requests/{request['id']}?wait=60")["request"]
    print(request["request_status"])
    if not request["successful"]:
        raise RuntimeError(request["message"])
    return request


network = {"cidr": "10.2.0.0/16", "location": "us-east-1"}
provider = int(os.environ["GANTRY_PROVIDER"])
created = follow(call("POST", "/networks", {"provider": provider, "network": network})["request"])
path = created["resource"].removeprefix(URL)
print(call("GET", path)["network"]["provisioned_id"])

for subnet in call("GET", f"/subnets?network={path.split('/')[-1]}")["subnets"]:
    follow(call("DELETE", f"/subnets/{subnet['id']}")["request"])
follow(call("DELETE", path)["request"])
