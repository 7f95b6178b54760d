export {} from "prom-client";
