"""Validates objects of Kubernetes, and prints the problems as a JSON list of sentences.

Reads JSON from its input: `objects`, the `versions` of Kubernetes, and `definitions`, the files of custom resource
definitions. No schema admits a field that it does not name.
"""

import json
import sys

import jsonschema
import kubernetes_validate
import yaml


def strict(schema):
    """Returns the schema with every object closed that names its fields."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: strict(each) for name, each in schema.items()}
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        closed.setdefault("additionalProperties", False)
    return closed


def custom_schemas(files):
    """Returns the schema of each custom kind by its API version and name."""
    schemas = {}
    for file in files:
        with open(file, encoding="utf-8") as stream:
            definition = yaml.safe_load(stream)["spec"]
        for version in definition["versions"]:
            schema = strict(version["schema"]["openAPIV3Schema"])
            # Kubernetes itself knows these fields.
            schema["properties"]["metadata"].pop("additionalProperties", None)
            schemas[f"{definition['group']}/{version['name']}", definition["names"]["kind"]] = schema
    return schemas


def problems(given):
    customs = custom_schemas(given["definitions"])
    for each in given["objects"]:
        name = f"{each['kind']} {each['metadata'].get('name')}"
        custom = customs.get((each["apiVersion"], each["kind"]))
        if custom:
            for error in jsonschema.Draft7Validator(custom).iter_errors(each):
                yield f"{name}: {error.json_path}: {error.message}"
            continue
        for version in given["versions"]:
            try:
                kubernetes_validate.validate(each, version, strict=True)
            except Exception as error:  # Each kind of failure means that the object is not valid.
                yield f"{name}, {version}: {type(error).__name__}: {getattr(error, 'message', error)}"


json.dump(list(problems(json.load(sys.stdin))), sys.stdout)
