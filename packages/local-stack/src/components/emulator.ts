import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, freePort, toComponent } from "./component.js";
import { pythonVenv } from "./python-venv.js";

export interface EmulatorOptions extends ComponentOptions {
  /** Where the emulator's virtual environment is kept between runs. */
  cache: string;
  report?: (sentence: string) => void;
}

const VERSION = "5.2.3";
const SETTINGS = {
  MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: "true",
  MOTO_ENABLE_KEYPAIR_VALIDATION: "true",
  MOTO_ENABLE_AMI_VALIDATION: "true",
  MOTO_IAM_LOAD_MANAGED_POLICIES: "true",
};

/*
 * Ten changes to moto's own start: no line per call in the log; 501 for an unknown operation; one call after the other,
 * since its models are not made for two at a time, and AWS makes nothing by halves; the 1,200 policies of AWS are parsed once
 * instead of once per account (0.7 s and 35 MB each); what never changes is looked up once instead of at every call, which
 * halves a call's cost; a thing's tags are looked up by its id instead of searched for in those of all things; an instance
 * that left a scaling group is not for ever said to be in that one; an instance may be terminated again; the disks of an
 * instance carry the tags that its launch template has for volumes; and what the first calls would load is loaded while
 * nobody waits.
 */
const LAUNCHER = `
import copy, functools, importlib, logging, sys, threading
logging.getLogger("werkzeug").setLevel(logging.ERROR)
from moto.server import main

def share_policies():
    from moto.iam.models import IAMBackend
    parse, parsed, guard = IAMBackend._init_aws_policies, {}, threading.Lock()
    def shared(self):
        with guard:
            if self.partition not in parsed:
                parsed[self.partition] = parse(self)
        policies = [copy.copy(policy) for policy in parsed[self.partition]]
        for policy in policies:
            policy.account_id = self.account_id
        return policies
    IAMBackend._init_aws_policies = shared

def answer_in_turn():
    from botocore.model import OperationNotFoundError
    from moto.core.responses import BaseResponse
    dispatch, turn = BaseResponse._dispatch, threading.RLock()
    def answered(self, *args, **kwargs):
        try:
            with turn:
                return dispatch(self, *args, **kwargs)
        except (NotImplementedError, OperationNotFoundError) as error:
            return 501, {"content-type": "text/plain"}, str(error)
    BaseResponse._dispatch = answered

def let_go():
    from moto.autoscaling.models import AutoScalingBackend
    detach = AutoScalingBackend.detach_instances
    def detached(self, group_name, instance_ids, should_decrement):
        activities = detach(self, group_name, instance_ids, should_decrement)
        for id in instance_ids:
            vars(self.ec2_backend.get_instance(id)).pop("autoscaling_group", None)
        return activities
    AutoScalingBackend.detach_instances = detached

def remember():
    from moto import backends
    from moto.core import responses
    modules = frozenset(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: modules
    responses.method_names_from_class = functools.cache(responses.method_names_from_class)

def find_tags():
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

def end_once():
    from moto.ec2.models.instances import Instance
    terminate = Instance.terminate
    def ended(self):
        return terminate(self) if self.state != "terminated" else copy.copy(self._state)
    Instance.terminate = ended

def tag_disks():
    from moto.ec2.models.instances import InstanceBackend
    from moto.ec2.utils import convert_tag_spec
    run = InstanceBackend.run_instances
    def tagged(self, *args, **kwargs):
        template = kwargs.get("launch_template")
        if template:
            data = self._get_template_from_args(template).data
            own = convert_tag_spec(data.get("TagSpecifications", [])).get("volume", {})
            tags = kwargs.get("tags", {})
            kwargs["tags"] = {**tags, "volume": {**own, **tags.get("volume", {})}}
        return run(self, *args, **kwargs)
    InstanceBackend.run_instances = tagged

def warm():
    remember()
    answer_in_turn()
    share_policies()
    let_go()
    find_tags()
    end_once()
    tag_disks()
    for service in ("sts", "ec2", "iam", "rds", "autoscaling"):
        importlib.import_module("moto.%s.responses" % service)

threading.Thread(target=warm, daemon=True).start()
main(["-H", "127.0.0.1", "-p", sys.argv[1]])
`;

/** Starts moto, the AWS emulator, on 127.0.0.1; what it holds is gone when it stops. Throws one sentence when it cannot. */
export async function startEmulator(options: EmulatorOptions): Promise<Component> {
  const { folder, cache, environment, report = () => undefined } = options;
  const port = options.port ?? (await freePort());
  const home = join(cache, `moto-${VERSION}`);
  mkdirSync(folder, { recursive: true });
  const start = async () => {
    const python = await pythonVenv({
      name: `moto ${VERSION}`,
      install: [`moto[server]==${VERSION}`],
      neededBy: "The AWS emulator",
      alternative: "set AWS_ENDPOINT_URL to an AWS endpoint of yours",
      home,
      environment,
      report,
    });
    return startProcess({
      name: "moto",
      command: python,
      args: ["-c", LAUNCHER, String(port)],
      environment: { ...environment, ...SETTINGS },
      logFile: join(folder, "moto.log"),
      ready: () => fetch(`http://127.0.0.1:${port}/moto-api/data.json`, { method: "HEAD" }),
    });
  };
  const running = await start().catch((error: Error) => {
    if (!existsSync(home) || !/No module named/.test(error.message)) throw error;
    rmSync(home, { recursive: true, force: true });
    return start();
  });
  return toComponent(`http://127.0.0.1:${port}`, running);
}
