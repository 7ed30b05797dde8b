import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Job, LoadMessage, Results } from './jobs.ts'
import { getPid, type Processes } from './processes.ts'

/** Called when what is measured begins and ends. */
export interface Observer {
  begin?(): void
  end?(): void
}

/** The load generator, as the benchmark's own process sees it. Does one job at a time. */
export class LoadGenerator {
  readonly #child: ChildProcess
  readonly pid: number

  constructor(processes: Processes) {
    this.#child = processes.fork(join(import.meta.dirname, 'load-process.ts'))
    this.pid = getPid(this.#child)
  }

  /** Rejects when a response was not what it should be. */
  run<J extends Job>(job: J, observer?: Observer): Promise<Results[J['kind']]>
  run(job: Job, observer: Observer = {}): Promise<Results[Job['kind']]> {
    const child = this.#child
    if (!child.connected) return Promise.reject(new Error('The load generator has ended.'))
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        child.off('message', onMessage)
        child.off('exit', onExit)
        settle()
      }
      const onExit = () => finish(() => reject(new Error('The load generator ended.')))
      const onMessage = (message: LoadMessage) => {
        switch (message.type) {
          case 'begin':
            return observer.begin?.()
          case 'end':
            return observer.end?.()
          case 'measured':
            return finish(() => resolve(message.measured))
          case 'failed':
            return finish(() => reject(new Error(message.reason)))
        }
      }
      child.on('message', onMessage)
      child.on('exit', onExit)
      child.send(job)
    })
  }
}
