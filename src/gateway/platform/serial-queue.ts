/** Runs tasks one after another: each starts when the one before has settled, even if it failed. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when all tasks queued so far have settled. */
  async idle(): Promise<void> {
    await this.#last
  }
}
