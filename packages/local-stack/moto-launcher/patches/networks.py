# Finds NAT gateways by their tags; fails one whose VPC has no internet gateway; frees the interface and the address of a
# deleted one.
def complete_nat_gateways():
    from moto.ec2.models.nat_gateways import NatGatewayBackend
    create, describe = NatGatewayBackend.create_nat_gateway, NatGatewayBackend.describe_nat_gateways
    delete = NatGatewayBackend.delete_nat_gateway
    def created(self, *args, **kwargs):
        gateway = create(self, *args, **kwargs)
        vpcs = [internet.vpc.id for internet in self.internet_gateways.values() if internet.vpc]
        if gateway.vpc_id not in vpcs:
            gateway.state, gateway.failure_code = "failed", "Gateway.NotAttached"
            gateway.failure_message = "Network %s has no Internet gateway attached" % gateway.vpc_id
            free(self, gateway)
        return gateway
    def described(self, filters, ids):
        wanted = {name[4:]: values for name, values in (filters or {}).items() if name.startswith("tag:")}
        tags = lambda gateway: {tag["key"]: tag["value"] for tag in gateway.get_tags()}
        found = describe(self, filters, ids)
        return [one for one in found if all(tags(one).get(name) in values for name, values in wanted.items())]
    def deleted(self, id):
        if self.nat_gateways[id].state == "available":
            free(self, self.nat_gateways[id])
        return delete(self, id)
    def free(self, gateway):
        for address in gateway.address_set:
            if address.get("associationId"):
                self.disassociate_address(association_id=address["associationId"])
        self.delete_network_interface(gateway._eni.id)
    NatGatewayBackend.create_nat_gateway = created
    NatGatewayBackend.describe_nat_gateways = described
    NatGatewayBackend.delete_nat_gateway = deleted

# Lists only the regions of the caller's partition, as AWS does: China and GovCloud have accounts of their own.
def list_regions_of_partition():
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
    from moto.utilities.utils import get_partition
    describe = RegionsAndZonesBackend.describe_regions
    def of_partition(self, region_names=None):
        own = get_partition(self.region_name)
        return [region for region in describe(self, region_names) if get_partition(region.name) == own]
    RegionsAndZonesBackend.describe_regions = of_partition
