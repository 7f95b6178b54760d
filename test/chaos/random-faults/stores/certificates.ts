import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installDebianPackage } from "../../../support/debian-package.js";

const PROGRAM = "/usr/bin/openssl";

export interface TlsFiles {
  ca: string;
  certificate: string;
  key: string;
}

/** Creates a private authority and the certificate of a server at 127.0.0.1. */
export function createCertificates(folder: string): TlsFiles {
  const problem = installDebianPackage("openssl", PROGRAM);
  if (problem) throw new Error(problem);
  const at = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => void execFileSync(PROGRAM, words, { cwd: folder, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Gantry test authority");
  openssl("req", "-new", ...newKey.slice(0, -2), "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(at("san.txt"), "subjectAltName=IP:127.0.0.1\n");
  const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "san.txt", "-days", "2"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signing);
  return { ca: at("ca.pem"), certificate: at("server.pem"), key: at("server.key") };
}
