/** The values that every installation needs. */
export const minimal = { image: { registry: "registry.example.com/platform" }, secrets: { existingSecret: "gantry" } };

const everythingOn = {
  ...minimal,
  image: { ...minimal.image, tag: "1.2.3", pullPolicy: "Always", pullSecrets: ["registry"] },
  settings: { BASE_URL: "https://gantry.example.com", AWS_REGION: "eu-west-1", SHUTDOWN_SECONDS: 40 },
  api: {
    settings: { TRUST_PROXY: "1", PORT: 8080 },
    extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/certificates/ca.pem" }],
    extraVolumes: [{ name: "certificates", configMap: { name: "certificates" } }],
    extraVolumeMounts: [{ name: "certificates", mountPath: "/certificates", readOnly: true }],
    service: { type: "LoadBalancer", port: 443, annotations: { "example.com/scheme": "internal" } },
    ingress: { enabled: true, className: "nginx", host: "gantry.example.com", tlsSecret: "gantry-tls" },
    autoscaling: { enabled: true },
    podAnnotations: { "example.com/note": "api" },
    podLabels: { team: "platform" },
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
    priorityClassName: "important",
  },
  worker: {
    settings: { WORKER_CONCURRENCY: 20 },
    serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/gantry" } },
    keda: {
      enabled: true,
      triggers: {
        prometheus: { enabled: true, serverAddress: "http://prometheus.monitoring:9090" },
        postgresql: { enabled: true },
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 2, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
    ],
  },
  migrations: {
    extraVolumes: [{ name: "certificates", configMap: { name: "certificates" } }],
    extraVolumeMounts: [{ name: "certificates", mountPath: "/certificates", readOnly: true }],
  },
  networkPolicy: {
    enabled: true,
    api: { from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } }] },
    metrics: { podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } } },
    egress: {
      postgresql: { port: 6432, to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] },
      extra: [{ ports: [{ protocol: "TCP", port: 4318 }] }],
    },
  },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    prometheusRule: { enabled: true, labels: { release: "prometheus" } },
    dashboard: { enabled: true, labels: { folder: "platform" } },
  },
};

const ownSecretsAndAccounts = {
  image: minimal.image,
  secrets: {
    MASTER_KEY: { existingSecret: "keys", key: "master" },
    DATABASE_URL: { existingSecret: "database", key: "app" },
    DATABASE_OWNER_URL: { existingSecret: "database-owner", key: "owner" },
    REDIS_URL: { existingSecret: "redis", key: "url" },
    OIDC_CLIENT_SECRET: { existingSecret: "issuer", key: "secret", optional: false },
    OTEL_EXPORTER_OTLP_HEADERS: { existingSecret: "collector", key: "headers", optional: false },
  },
  api: { serviceAccount: { create: false, name: "api" } },
  worker: { serviceAccount: { create: false, name: "worker" } },
  migrations: { serviceAccount: { create: false } },
};

const kedaWithPostgresql = {
  ...minimal,
  fullnameOverride: "control-plane",
  worker: {
    keda: { enabled: true, triggers: { postgresql: { enabled: true, existingSecret: "keda-database", key: "url" } } },
  },
};

const small = {
  ...minimal,
  api: {
    image: { digest: `sha256:${"0".repeat(64)}` },
    replicas: 1,
    podDisruptionBudget: { enabled: false },
  },
  worker: { replicas: 1, podDisruptionBudget: { maxUnavailable: "50%" } },
  migrations: { enabled: false },
};

/** The sets of values with which the chart is validated. */
export const VALUE_SETS = { minimal, everythingOn, ownSecretsAndAccounts, kedaWithPostgresql, small };
