# Changes the rules of a security group all at once or not at all, each with a source of its present kind, and refuses a rule
# that the group has already. moto changes only IPv4 blocks, and accepts duplicates. `InvalidPermission.Duplicate`: error
# codes in the EC2 API reference; the kind of a source: "Security group rules" in the VPC User Guide, read in November 2026.
def modify_rules_at_once():
    import copy
    from moto.ec2.exceptions import InvalidParameterValue, InvalidPermissionDuplicateError
    from moto.ec2.models.security_groups import SecurityGroupBackend
    modify = SecurityGroupBackend.modify_security_group_rules
    names = {"CidrIpv4": "CidrIp", "CidrIpv6": "CidrIpv6", "ReferencedGroupId": "GroupId"}
    def source_of(rule):
        return {"GroupId": rule.source_group["GroupId"]} if rule.source_group else {key: rule.ip_range[key] for key in ("CidrIp", "CidrIpv6") if rule.ip_range.get(key)}
    def modified(self, group_id, rules):
        group = self.get_security_group_by_name_or_id(group_id)
        before = copy.deepcopy((group.ingress_rules, group.egress_rules)) if group else None
        try:
            for rule_id, wanted in rules.items():
                modify(self, group_id, {rule_id: dict(wanted)})
                change(self, group, group.get_rule(rule_id), wanted, next(one for one in before[0] + before[1] if one.id == rule_id))
            for direction in (group.ingress_rules, group.egress_rules):
                if any(one == other and one.id != other.id for one in direction for other in direction):
                    raise InvalidPermissionDuplicateError()
        except Exception:
            if group:
                group.ingress_rules, group.egress_rules = before
            raise
    def change(self, group, rule, wanted, former):
        given = [(name, wanted[name]) for name in names if wanted.get(name)]
        rule.from_port, rule.to_port = int(rule.from_port), int(rule.to_port)
        for name, value in given:
            present = source_of(former)
            if names[name] not in present:
                shown = {"CidrIp": "IPv4 CIDR", "CidrIpv6": "IPv6 CIDR", "GroupId": "referenced group ID"}.get(next(iter(present), ""), "")
                raise InvalidParameterValue("Invalid rule type for security group rule '%s'. You may not specify %s for an existing %s rule." % (rule.id, name, shown))
            if name == "ReferencedGroupId":
                rule.source_group = self._add_source_group([{"GroupId": value}], group.vpc_id)[0]
            else:
                rule.ip_range = {**{key: kept for key, kept in rule.ip_range.items() if key == "Description"}, names[name]: value}
    SecurityGroupBackend.modify_security_group_rules = modified
