// The gateway of the desktop app, in a thread that is watched and started again.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  EventHub,
  type Gateway,
  type GatewayOptions,
  LOG_LEVELS,
  noteNativeCall,
  StoreError,
} from '../../gateway/compose/host-api.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { describeError, type RunWatch } from '../crash-reports.ts'
import { connectCalls, type GatewayCalls, reviveError, type ShellCalls, type ThreadData } from './calls.ts'

const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './gateway-worker.ts' : './gateway-worker.js',
  import.meta.url,
)

/** The interval of calls of `/healthz`, and how many of them may be silent: longer than any work of the gateway. */
const HEALTH = { everyMs: 5_000, maxSilences: 12 }
/** A gateway that fails again and again is not started again. */
const MAX_RESTARTS = { count: 3, withinMs: 10 * 60_000 }
/** How long an idle thread may take to end. */
const END_MS = 2_000

type Calls = ReturnType<typeof connectCalls<GatewayCalls, ShellCalls>>

interface Thread {
  calls: Calls
  adminKey: string | null
  worker: Worker
  /** Aborted when it has ended. */
  ended: AbortSignal
}

/** Starts the gateway in its thread. Rejects with a StoreError when its data dir cannot be used. */
export async function startGatewayThread(
  options: GatewayOptions,
  record: RunWatch['record'],
  health = HEALTH,
): Promise<Gateway> {
  return await new Supervisor(options, record, health).start()
}

class Supervisor {
  readonly #options: GatewayOptions
  readonly #record: RunWatch['record']
  readonly #health: typeof HEALTH
  readonly #events = new EventHub()
  /** Where the next thread listens, too. */
  #port: number | null = null
  #socket: string | null = null
  #thread: Promise<Thread>
  #restarts: number[] = []
  #closing: Promise<void> | null = null

  constructor(options: GatewayOptions, record: RunWatch['record'], health: typeof HEALTH) {
    this.#options = options
    this.#record = record
    this.#health = health
    this.#thread = this.#startThread()
  }

  async start(): Promise<Gateway> {
    const { adminKey } = await this.#thread
    return {
      adminKey,
      listen: async (port) => {
        const { calls } = await this.#thread
        const address = await calls.listen(port)
        // Port 0 is any port; a gateway that is started again keeps the one it got.
        this.#port = address.port
        return address
      },
      listenLocally: async (path) => {
        const { calls } = await this.#thread
        await calls.listenLocally(path)
        this.#socket = path
      },
      stopListening: async () => {
        this.#port = null
        const { calls } = await this.#thread
        await calls.stopListening()
      },
      fetchAsOwner: (request) => this.#fetch(request),
      subscribe: (listener, types) => this.#events.subscribe(listener, types && { types }),
      close: (drainMs, hurry) => {
        this.#closing ??= this.#close(drainMs, hurry)
        return this.#closing
      },
    }
  }

  async #fetch({ url, method, headers, body }: Request): Promise<Response> {
    const { calls, ended } = await this.#thread
    const response = await calls.fetch({ url, method, headers: [...headers], body })
    // A stream from another thread does not end with that thread.
    const whole = response.body?.pipeThrough(new TransformStream(), { signal: ended }) ?? null
    return new Response(whole, response)
  }

  async #startThread(): Promise<Thread> {
    const { dataDir, version, interfaceDir, createAdminKey } = this.#options
    const { log, credentials, systemNetwork, onFatal } = this.#options
    const logLevel = LOG_LEVELS.find((level) => log.isLevelEnabled(level)) ?? 'error'
    const copied = { dataDir, version, interfaceDir, createAdminKey }
    const workerData: ThreadData = { ...copied, credentials: credentials.kind, logLevel }
    const worker = new Worker(THREAD, { workerData, name: 'gateway' })
    let cause: unknown = null
    const calls: Calls = connectCalls<GatewayCalls, ShellCalls>(worker, {
      log: (level, message, fields, error) =>
        log[level](message, error === undefined ? fields : { ...fields, err: reviveError(error) }),
      getCredential: (account) => credentials.get(account),
      setCredential: (account, secret) => credentials.set(account, secret),
      deleteCredential: (account) => credentials.delete(account),
      findProxy: async (origin) => (await systemNetwork?.findProxy(origin)) ?? null,
      publish: (event) => this.#events.publish(event.type, () => event),
      fail: (error) => onFatal?.(error),
      crash: (error) => {
        cause = reviveError(error)
      },
    })
    worker.on('error', (error) => {
      cause ??= error
    })
    let stopWatching: (() => void) | null = null
    const ended = new AbortController()
    worker.once('exit', () => {
      stopWatching?.()
      const error = new Error('The gateway has ended.', { cause })
      calls.$close(error)
      ended.abort(error)
      if (stopWatching && this.#closing === null) this.#restart(cause)
    })
    try {
      const adminKey = await calls.start()
      stopWatching = this.#watch(calls, () => {
        cause = new Error('The gateway did not respond.')
        void worker.terminate()
      })
      return { calls, adminKey, worker, ended: ended.signal }
    } catch (error) {
      void worker.terminate()
      throw error
    }
  }

  /** Calls `onSilent` when the gateway does not answer for long. While the computer sleeps, no time passes. */
  #watch(calls: Calls, onSilent: () => void): () => void {
    const ping = { url: 'app://tollgate/healthz', method: 'GET', headers: [], body: null }
    let silences = 0
    const ask = async () => {
      silences += 1
      if (silences > this.#health.maxSilences) return onSilent()
      const { body } = await calls.fetch(ping)
      await body?.cancel()
      silences = 0
    }
    const timer = setInterval(() => ask().catch(() => undefined), this.#health.everyMs).unref()
    return () => clearInterval(timer)
  }

  /** Starts the gateway again after it ended unexpectedly, with the state that its callers had set. */
  #restart(cause: unknown): void {
    const { log, onFatal } = this.#options
    const now = performance.now()
    this.#restarts = [...this.#restarts.filter((at) => at > now - MAX_RESTARTS.withinMs), now]
    const isOver = this.#restarts.length > MAX_RESTARTS.count
    const fail = (message: string, error: unknown) =>
      onFatal?.(new StoreError('closed', message, { cause: error }))
    log.error(`The gateway has ended${isOver ? ' again' : ' and is started again'}`, { err: cause })
    this.#record({
      kind: isOver ? 'error' : 'gateway',
      summary: isOver
        ? 'The gateway ended several times because of errors that it did not expect.'
        : 'The gateway ended because of an error that it did not expect, or did not respond, and was started again.',
      details: cause === null ? '' : describeError(cause),
    })
    if (isOver) {
      fail('The gateway ended several times.', cause)
      return
    }
    this.#thread = this.#resume()
    this.#thread.catch((error) => fail(errorMessage(error), error))
  }

  async #resume(): Promise<Thread> {
    const thread = await this.#startThread()
    if (this.#socket !== null) await thread.calls.listenLocally(this.#socket)
    if (this.#port !== null) await thread.calls.listen(this.#port)
    return thread
  }

  async #close(drainMs?: number, hurry?: AbortSignal): Promise<void> {
    // One that cannot be started has said why.
    const thread = await this.#thread.catch(() => null)
    if (thread === null || thread.ended.aborted) return
    const { calls, worker } = thread
    const exit = once(worker, 'exit')
    const hasten = () => void calls.hurry.asEvent()
    if (hurry?.aborted) hasten()
    else hurry?.addEventListener('abort', hasten)
    try {
      await calls.close(drainMs)
    } finally {
      void worker.terminate()
      // Node cannot end a thread in the middle of a native call, such as the check of a large backup.
      noteNativeCall(exit)
      await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, END_MS))])
    }
  }
}
