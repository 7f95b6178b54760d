import type { AwsAccount } from "@gantry/local-stack";

export type NetworkState = "running" | "finished" | "failed";

/** A durable engine with stores and an AWS account of its own. */
export interface Engine {
  awsAccount: AwsAccount;
  /** Starts what accepts networks, with the server of the engine if it has one; resolves when networks are accepted. */
  open(): Promise<void>;
  /** Starts what carries networks out, unless `open` has done so. */
  work(): Promise<void>;
  /** Kills what carries networks out; what accepts them too if that is the same process. */
  kill(): Promise<void>;
  /** Ends all processes; the engine can be opened again. */
  close(): Promise<void>;
  /** Ends all processes and removes what is stored. */
  remove(): Promise<void>;
  /** The processes without those of PostgreSQL and Redis. */
  pids(): number[];
  /** How a network is created. */
  input(): { url: string; method: "POST"; headers: Record<string, string>; body: string };
  create(): Promise<string>;
  stateOf(id: string): Promise<NetworkState>;
}

/** An engine that the benchmark knows, with its version. */
export interface EngineKind {
  version: string;
  /** Prepares the engine with empty stores. Throws an Error if it cannot run on this machine. */
  prepare(): Promise<Engine>;
}
