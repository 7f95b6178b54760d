# Starts moto on the port in its first argument, with changes to its behaviour and its speed, and prints its second argument
# once moto accepts connections.
import importlib, logging, sys, threading
logging.getLogger("werkzeug").setLevel(logging.ERROR)
from moto.server import main
from patches.calls import serialize_calls, enforce_policies
from patches.databases import modify_databases_over_time
from patches.firewalls import modify_rules_at_once
from patches.images import complete_images
from patches.instance_refreshes import refresh_instances
from patches.instances import keep_elastic_addresses, repeat_termination, refuse_unknown_groups, follow_template_disks, parse_user_data_of_versions
from patches.networks import complete_nat_gateways, list_regions_of_partition
from patches.performance import cache_constants, share_policies, load_images_at_first_use, read_tags_by_id
from patches.scaling_groups import clear_group_on_detach, record_launches
from patches.volumes import modify_volumes_over_time

# Loads the modules of the first calls in the background.
def patch_and_preload():
    cache_constants()
    serialize_calls()
    share_policies()
    load_images_at_first_use()
    complete_images()
    clear_group_on_detach()
    read_tags_by_id()
    repeat_termination()
    keep_elastic_addresses()
    follow_template_disks()
    refuse_unknown_groups()
    parse_user_data_of_versions()
    complete_nat_gateways()
    record_launches()
    refresh_instances()
    list_regions_of_partition()
    modify_rules_at_once()
    modify_volumes_over_time()
    modify_databases_over_time()
    enforce_policies()
    for service in ("sts", "ec2", "iam", "rds", "autoscaling"):
        importlib.import_module("moto.%s.responses" % service)

# The log's level hides werkzeug's own line.
from werkzeug.serving import BaseWSGIServer
BaseWSGIServer.log_startup = lambda self: print(sys.argv[2], flush=True)

threading.Thread(target=patch_and_preload, daemon=True).start()
main(["-H", "127.0.0.1", "-p", sys.argv[1]])
