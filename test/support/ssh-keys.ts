/** SSH public keys, with the fingerprints that `ssh-keygen -l -E md5` says of them. */
export const SSH_KEYS = {
  ed25519: {
    publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDgSyK85NVFxi+gWmRp8lvj60Pqjrw7ieTjOrQpE3WGh",
    fingerprint: "b4:eb:fd:7e:8a:fb:65:87:28:e9:95:5e:68:d1:47:fd",
  },
  rsa: {
    publicKey:
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDZuHHd6PgQXBzcR3o4FtNMIJ4h3QbL1h2OOu3vWZexVuWlhzjgVKrY0Mg3eAqnrlcbayKqeithVTDLyhjITU9lkGF1qrbKvae+LycFHblYv1woXTizKz3QbWUifvJll+c8HaHdktNSiUfm6xhwns3uT2jB3ynXJcyTLCFMBnMManWt83f60IRie6k/uyiuu1o/H5ZrwA5atV7IlHwhf8SRIUWIL6bTWPhOaLBwG/EYxMXSY2EIcMPRZ5RQPGNiE1JGaoGBeqeaZTEC6QzhNsy5bbI3XWHLAO9bYbqg54Xfw48qR2hTVkM5ilNE+gNW+kWmMsPODO0J6LfHgkVYdw/F",
    fingerprint: "42:c7:70:b1:d1:e2:e0:21:50:69:57:59:03:95:4f:f0",
  },
  ecdsa: {
    publicKey:
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBAbMqoZTTcIeiP6SfdtXs0HzWZpHr/2NurlWQOuCtpWZtRxSmW8Txqg0iu5TN5dbmZcF9i1s3L/FAU/Zd7xbbNA=",
    fingerprint: "13:b3:4f:b6:f3:ca:c2:60:4e:aa:7f:5c:c0:50:38:eb",
  },
  "ed25519 security": {
    publicKey:
      "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIFBZfuEX5sOKLaKPcAJ1jvLdqXPeswH5+/9rD7+X8JMYAAAABHNzaDo=",
    fingerprint: "2a:eb:41:fb:e1:e6:5e:47:85:3c:5e:6a:cf:73:f1:7b",
  },
  "ecdsa security": {
    publicKey:
      "sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBBJqHn7HEklNKmf+BRrcW8K14vMEfmO59um/waNa/hcPWYwnW0MZnyqq7pLpNfzFoYeogHGtjit+7+u+Q5Vhhkm0AAAAEc3NoOg==",
    fingerprint: "f0:82:59:26:fa:d7:57:4f:dc:01:74:7b:3b:54:18:9f",
  },
};
