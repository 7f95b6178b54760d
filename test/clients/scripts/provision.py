"""Provisions a network and removes it, with a client by openapi-python-client."""

import os

from gantry_client import AuthenticatedClient
from gantry_client.api.networks import create_network, delete_network
from gantry_client.api.requests import get_request
from gantry_client.models import CreateNetworkInput, RequestAnswer

client = AuthenticatedClient(base_url=os.environ["GANTRY_URL"], token=os.environ["GANTRY_TOKEN"])


def created(answer):
    if not isinstance(answer, RequestAnswer):
        raise SystemExit(f"no Request was created: {answer}")
    return answer.request


def ended(request):
    while True:
        answer = get_request.sync(request=str(request.id), client=client, wait=4)
        if answer.request.state in ("finished", "failed", "cancelled"):
            return answer.request


network = {"cidr": "10.0.0.0/16", "location": "us-east-1", "skip_subnets": True}
body = CreateNetworkInput.from_dict({"provider": int(os.environ["GANTRY_PROVIDER"]), "network": network})
provisioned = ended(created(create_network.sync(client=client, body=body)))
subject = str(provisioned.subject.id)
print(provisioned.state, subject)
print(ended(created(delete_network.sync(network=subject, client=client))).state)
