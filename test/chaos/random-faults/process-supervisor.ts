/** One life of a process. */
export interface SupervisedProcess {
  pid: number;
  stop(): Promise<unknown>;
  kill(): Promise<unknown>;
  /** Rejects never; resolves when the process has ended, by whatever. */
  ended: Promise<unknown>;
}

const MAX_ATTEMPTS = 5;

/** A place in the house that one process after the other takes: one that dies is followed by the next at once. */
export class ProcessSupervisor {
  private generation = 0;
  private starting: Promise<SupervisedProcess> | undefined;
  /** The process, where one is up. */
  current: SupervisedProcess | undefined;
  private isEnabled = true;
  private isKilling = false;

  /**
   * @param launch starts a process under the name that it is to be known by
   * @param onUnexpectedExit told of a process that ended though nobody had ended it
   */
  constructor(
    readonly name: string,
    private readonly launch: (processName: string) => Promise<SupervisedProcess>,
    private readonly onUnexpectedExit: (processName: string) => void,
  ) {}

  /** The name of the process that is there now, or will be. */
  get lifeName(): string {
    return `${this.name}.${this.generation}`;
  }

  /** The process, once it is up. */
  started(): Promise<SupervisedProcess> {
    this.starting ??= this.start();
    return this.starting;
  }

  /** Kills the process as a crash would and starts the next one, which is not waited for. Gives the dead one's name. */
  async kill(): Promise<string> {
    const child = await this.started();
    const name = this.lifeName;
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
    const name = this.lifeName;
    const child = await this.launchWithRetries(name);
    this.current = child;
    void child.ended.then(() => {
      if (this.isKilling || !this.isEnabled || this.lifeName !== name) return;
      this.onUnexpectedExit(name);
      this.current = undefined;
      this.starting = undefined;
      void this.started().catch(() => {});
    });
    return child;
  }

  /** As whatever supervises a process does: one that does not start is started again. */
  private async launchWithRetries(name: string): Promise<SupervisedProcess> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.launch(name);
      } catch (error) {
        if (tries === MAX_ATTEMPTS || !this.isEnabled) throw error;
      }
    }
  }
}
