import { type ErrorRow, permanent, wait } from "./row.js";

/** Errors of networks, firewalls and addresses. */
export const networkErrors: ErrorRow[] = [
  // RDS and load balancers keep their interfaces for minutes after their own end.
  [
    /^(DependencyViolation|InvalidGroup\.InUse|InvalidNetworkInterface\.InUse|InvalidIPAddress\.InUse|ResourceNotReady$)/,
    wait("AWS to release what depends on it", 5, 30),
  ],
  [
    /^Invalid(Vpc|Subnet|Group|SecurityGroup|SecurityGroupRule|RouteTable|InternetGateway|Gateway|NatGateway|NetworkInterface|Allocation|Address|Association)I[Dd]\.NotFound$|^Invalid(VpcID|(Group|Address|KeyPair)\.NotFound$)|^NatGatewayNotFound$/,
    wait("AWS to show an object that was just made, unless it was removed", 2, 5),
  ],
  [/^InvalidParameterValue$/, wait("AWS to show the gateway in its network", 2, 5), /belong to different networks/],
  [/^NatGatewayDeleting$/, wait("AWS to delete the NAT gateway", 5, 30)],
  [/^InsufficientAddressCapacity$/, wait("AWS to have a free address", 60, 30)],
  [
    /^InsufficientFreeAddressesInSubnet$/,
    permanent("The subnet has no free address; use another subnet, or remove what is not needed"),
  ],
  [/^InvalidSubnet\.Conflict/, permanent("The CIDR overlaps a subnet that the network already has in AWS")],
  [/^InvalidSubnet\.Range/, permanent("The CIDR does not lie inside the network's in AWS")],
  [/^InvalidVpc\.?Range/, permanent("AWS does not accept the CIDR; a network needs a block between /16 and /28")],
  [
    /^(VPCIdNotSpecified|VPCResourceNotSpecified|MissingInput|DefaultVpcDoesNotExist)$/,
    permanent(
      "The AWS account has no default network in this region; name a network of Gantry, or have the account's owner make a default VPC",
    ),
  ],
  [
    /^VpcEncryptionControlViolation/,
    permanent("The network demands encryption that this object lacks; the owner of the AWS account can change that"),
  ],
  [/^InvalidAddress\.Locked$/, permanent("AWS has locked the address; the account's owner can ask AWS Support")],
  [/^Resource\.AlreadyAssociated$/, permanent("The object is connected to another one in AWS already")],
  [/^CannotDelete$/, permanent("AWS never removes this object; it belongs to the network itself")],
  [/^InvalidKey(Pair)?\.Format$/, permanent("AWS does not accept the public key")],
];
