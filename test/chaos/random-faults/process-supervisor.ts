export interface SupervisedProcess {
  pid: number;
  stop(): Promise<unknown>;
  kill(): Promise<unknown>;
  /** Resolves when the process has exited for any reason; never rejects. */
  exited: Promise<unknown>;
}

const MAX_ATTEMPTS = 5;

/** Keeps one process running: starts the next one at once when it dies. */
export class Supervisor {
  private generation = 0;
  private starting: Promise<SupervisedProcess> | undefined;
  /** The process, if one is up. */
  current: SupervisedProcess | undefined;
  private isEnabled = true;
  private isKilling = false;

  /**
   * @param launch starts a process under a name
   * @param onUnexpectedExit called for a process that exited without `kill` or `stop`
   */
  constructor(
    readonly name: string,
    private readonly launch: (processName: string) => Promise<SupervisedProcess>,
    private readonly onUnexpectedExit: (processName: string) => void,
  ) {}

  /** The name of the current or next process. */
  get processName(): string {
    return `${this.name}.${this.generation}`;
  }

  /** Starts the process if necessary; resolves when it is up. */
  started(): Promise<SupervisedProcess> {
    this.starting ??= this.start();
    return this.starting;
  }

  /**
   * Kills the process with SIGKILL and starts the next one without waiting for it. Returns the name of the killed one.
   */
  async kill(): Promise<string> {
    const child = await this.started();
    const name = this.processName;
    this.isKilling = true;
    await child.kill();
    this.isKilling = false;
    this.current = undefined;
    this.starting = undefined;
    void this.started().catch(() => {});
    return name;
  }

  async stop(): Promise<void> {
    this.isEnabled = false;
    await (await this.starting?.catch(() => undefined))?.stop();
  }

  private async start(): Promise<SupervisedProcess> {
    this.generation += 1;
    const name = this.processName;
    const child = await this.launchWithRetries(name);
    this.current = child;
    void child.exited.then(() => {
      if (this.isKilling || !this.isEnabled || this.processName !== name) return;
      this.onUnexpectedExit(name);
      this.current = undefined;
      this.starting = undefined;
      void this.started().catch(() => {});
    });
    return child;
  }

  /** Repeats a failed start, as a process supervisor does. */
  private async launchWithRetries(name: string): Promise<SupervisedProcess> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.launch(name);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !this.isEnabled) throw error;
      }
    }
  }
}
