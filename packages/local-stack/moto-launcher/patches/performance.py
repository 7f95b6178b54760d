import functools
import threading

# Computes constants once instead of at every call, which halves the cost of a call.
def cache_constants():
    from moto import backends
    from moto.core import responses
    modules = frozenset(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: modules
    responses.method_names_from_class = functools.cache(responses.method_names_from_class)

# Parses the 1,200 policies of AWS once instead of once per account (0.7 s and 35 MB each). Accounts share them: their counts
# of attachments are those of all accounts.
def share_policies():
    from moto.iam.models import IAMBackend
    parse, parsed, guard = IAMBackend._init_aws_policies, {}, threading.Lock()
    def shared(self):
        with guard:
            if self.partition not in parsed:
                parsed[self.partition] = parse(self)
        return parsed[self.partition]
    IAMBackend._init_aws_policies = shared

# Loads the public images of a region at their first use, not with its first call: a quarter of the tests' time in moto.
def load_images_at_first_use():
    from moto.ec2.models.amis import AmiBackend
    load = AmiBackend._load_amis
    def images(self):
        if not self.__dict__["has_images"]:
            self.__dict__["has_images"] = True
            load(self)
        return self.__dict__["images"]
    def empty(self, images):
        self.__dict__.update(images=images, has_images=False)
    AmiBackend.amis = property(images, empty)
    AmiBackend._load_amis = lambda self: None

# Reads the tags of an object by its id instead of searching the tags of all objects.
def read_tags_by_id():
    from moto.ec2.models.core import TaggedEC2Resource
    from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, get_prefix
    def found(self):
        tags = self.ec2_backend.tags.get(self.id, {}) if self.id else {}
        kind = EC2_PREFIX_TO_RESOURCE.get(get_prefix(self.id), "") if tags else ""
        return [
            {"resource_id": self.id, "key": key, "value": value, "resource_type": kind}
            for key, value in tags.copy().items()
        ]
    TaggedEC2Resource.get_tags = found
