// Imports what agents on this computer have logged. Nothing of it is money of this gateway: no limit and no total has it.
import { homedir } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { z } from 'zod'
import type { Feature } from '../../../gateway/http/calls.ts'
import { type Clock, getTimers } from '../../../gateway/platform/clock.ts'
import { GatewayError } from '../../../gateway/platform/errors.ts'
import type { EventHub } from '../../../gateway/platform/events.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { InFlightRequests } from '../../../gateway/request/in-flight.ts'
import type { Settings } from '../../../gateway/settings/settings.ts'
import type { Store } from '../../../gateway/store/store.ts'
import {
  type HistoryProgress,
  type HistoryState,
  type ImportedSessionList,
  type ImportedSessionQuery,
  ImportResult,
} from '../../../shared/api/history.ts'
import { HISTORY_TOOL_NAMES, HISTORY_TOOLS, type HistoryTool } from '../../../shared/api/history-tools.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { EventReceiver } from './events/receive-events.ts'
import type { ImportTask, WorkerMessage } from './import-worker.ts'
import type { ImportedAgent, ImportedSession, ImportedTool } from './imported-usage-rows.ts'
import type { Place } from './readers/reader.ts'

interface Deps {
  store: Store
  clock: Clock
  settings: Settings
  events: EventHub
  log: Log
  inFlight: Pick<InFlightRequests, 'size'>
  dataDir: string
  /** Where the tools have their files; the home folder and the environment of this process if absent. */
  place?: Place | undefined
}

interface Choice {
  tool?: HistoryTool | undefined
  since?: number | undefined
}

type SessionQuery = z.output<typeof ImportedSessionQuery>
type SessionList = z.infer<typeof ImportedSessionList>

const SETTING = 'lastImport'
const UPDATE_MS = 10 * 60_000

class History {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout
  #run: ImportRun | null = null
  #last: ImportResult | null

  constructor(deps: Deps) {
    this.#deps = deps
    this.#last = ImportResult.nullable().catch(null).parse(deps.settings.stored(SETTING))
    this.#timer = getTimers(deps.clock).setInterval(() => this.#update(), UPDATE_MS)
    this.#timer.unref()
    deps.settings.onChange(async () => this.#update())
    this.#update()
  }

  get #place(): Place {
    return this.#deps.place ?? { home: homedir(), env: { ...process.env } }
  }

  async read(): Promise<HistoryState> {
    const { store, clock } = this.#deps
    const { findExpiring, findTools } = await import('./log-places.ts')
    const imported = await store.read('listImportedTools')
    return {
      found: (await findTools(this.#place)).map((tool) => ({ tool, name: HISTORY_TOOL_NAMES[tool] })),
      imported: imported.map(toView),
      running: this.#run?.progress ?? null,
      expiring: await findExpiring(this.#place, (files) => store.read('findUnimported', files), clock.now()),
      last: this.#last,
    }
  }

  async listSessions({ from, to, session, limit, cursor = '0' }: SessionQuery): Promise<SessionList> {
    const offset = Number(cursor)
    // One more shows whether there is another page.
    const { sessions, agents } = await this.#deps.store.read('listImportedSessions', {
      from: from === undefined ? 0 : Date.parse(from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to),
      session: session ?? null,
      limit: limit + 1,
      offset,
    })
    return {
      data: sessions.slice(0, limit).map((session) => toSession(session, agents)),
      nextCursor: sessions.length > limit ? String(offset + limit) : null,
    }
  }

  /** Throws 409 while another import runs. */
  start(choice: Choice): void {
    if (this.#run)
      throw new GatewayError({ status: 409, message: 'An import is running.', code: 'import_running' })
    void this.#import(choice, true)
  }

  async cancel(): Promise<void> {
    await this.#run?.cancel()
  }

  /** Removes imported calls and returns their number. Turns off the automatic import, which would bring them back. */
  async remove(tool: HistoryTool | null): Promise<number> {
    const { store, settings } = this.#deps
    await this.cancel()
    if (settings.value.keepHistory) await settings.update({ keepHistory: false })
    let removed = 0
    for (;;) {
      const some = await store.write('removeImported', tool)
      removed += some
      if (some === 0) return removed
    }
  }

  async close(): Promise<void> {
    getTimers(this.#deps.clock).clear(this.#timer)
    await this.cancel()
  }

  #update(): void {
    if (this.#deps.settings.value.keepHistory && !this.#run) void this.#import({}, false)
  }

  async #import({ tool, since = 0 }: Choice, isAsked: boolean): Promise<void> {
    const { store, dataDir, log, clock } = this.#deps
    const tools = tool === undefined ? HISTORY_TOOLS : [tool]
    const task = { dataDir, since, place: this.#place, tools }
    const run = new ImportRun(this.#deps, task, (progress) => this.#announce(progress))
    this.#run = run
    const result = await run.done
    try {
      if (result.error !== null) log.error('Importing the history of agents failed', { err: result.error })
      if (!isAsked) return
      const imported = await store.read('listImportedTools')
      const { error: _, ...counts } = result
      this.#last = {
        ...counts,
        endedAt: new Date(clock.now()).toISOString(),
        summary: (await import('./summary.ts')).summarizeImport({
          ...result,
          imported,
          timeZone: this.#deps.settings.timeZone,
          tool,
        }),
      }
      await store.write('putSettings', [{ name: SETTING, value: this.#last }])
    } catch (err) {
      log.error('The result of an import could not be stored', { err })
    } finally {
      this.#run = null
      this.#announce(null)
    }
  }

  #announce(running: HistoryProgress | null): void {
    this.#deps.events.publish('history', () => ({ type: 'history', running }))
  }
}

function toSession(
  { tool, models, costNano, ...session }: ImportedSession,
  agents: readonly ImportedAgent[],
) {
  return {
    ...session,
    tool,
    name: HISTORY_TOOL_NAMES[tool],
    origin: 'import' as const,
    models: models.split(','),
    firstAt: new Date(session.firstAt).toISOString(),
    lastAt: new Date(session.lastAt).toISOString(),
    costUsd: costNano / NANO_PER_USD,
    agents: agents
      .filter((agent) => agent.tool === tool && agent.session === session.id)
      .map(({ id, calls, costNano: nano }) => ({ id, calls, costUsd: nano / NANO_PER_USD })),
  }
}

function toView({
  costNano,
  firstAt,
  lastAt,
  tool,
  ...counts
}: ImportedTool): HistoryState['imported'][number] {
  const toDate = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    tool,
    name: HISTORY_TOOL_NAMES[tool],
    origin: 'import',
    costUsd: costNano / NANO_PER_USD,
    ...counts,
    firstAt: toDate(firstAt),
    lastAt: toDate(lastAt),
  }
}

// The built app starts a thread from the file next to its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './import-worker.ts' : './import-worker.js',
  import.meta.url,
)

/** What a file of 64 MB takes that is one JSON object. Without a limit for new objects, it would take several times as much. */
const MEMORY = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 }

const PROGRESS_MS = 250

/** How long the import rests after each batch while requests are in flight, so that they are hardly slower. */
const REST_MS = 50

type RunResult = Pick<ImportResult, 'startedAt' | 'outcome' | 'tools'> & { error: string | null }

/** One import. It can end at any moment: the store has whole batches, and files only once all of their calls are there. */
class ImportRun {
  readonly #store: Store
  readonly #worker: Worker
  readonly #messages = new SerialQueue()
  readonly #startedAt: string
  readonly #clock: Clock
  readonly #inFlight: Deps['inFlight']
  readonly #onProgress: (progress: HistoryProgress) => void
  readonly #tools: ImportResult['tools'] = []
  #names: string[]
  #files = 0
  #calls = 0
  #added = 0
  #error: string | null = null
  #quietUntil = 0
  #isCanceled = false
  /** Resolves when the thread has ended. */
  readonly done: Promise<RunResult>

  constructor(
    { store, clock, inFlight }: Deps,
    task: ImportTask,
    onProgress: (progress: HistoryProgress) => void,
  ) {
    this.#store = store
    this.#clock = clock
    this.#inFlight = inFlight
    this.#onProgress = onProgress
    this.#startedAt = new Date(clock.now()).toISOString()
    this.#names = task.tools.map((tool) => HISTORY_TOOL_NAMES[tool])
    this.#worker = new Worker(WORKER, { workerData: task, name: 'import', resourceLimits: MEMORY })
    // One after another, so that requests pass between them.
    this.#worker.on(
      'message',
      (message: WorkerMessage) => void this.#messages.run(() => this.#receive(message)),
    )
    this.#worker.on('error', (error) => this.#fail(error))
    this.done = new Promise((resolve) => {
      // The store has all batches by then.
      this.#worker.once('exit', () => void this.#messages.run(async () => resolve(this.#end())))
    })
  }

  get progress(): HistoryProgress {
    const { 0: name = '' } = this.#names
    return { startedAt: this.#startedAt, name, files: this.#files, calls: this.#calls }
  }

  async cancel(): Promise<void> {
    this.#isCanceled = true
    await this.#worker.terminate()
    await this.done
  }

  async #receive(message: WorkerMessage): Promise<void> {
    if (message.type === 'read') {
      const { tool, notCounted } = message
      this.#names = this.#names.slice(1)
      this.#tools.push({
        tool,
        name: HISTORY_TOOL_NAMES[tool],
        calls: this.#added,
        notCounted,
      })
      this.#added = 0
      return
    }
    const { calls, files } = message.batch
    const count = calls.reduce((sum, call) => sum + call.calls, 0)
    try {
      this.#added += await this.#store.write('importCalls', message.batch)
      this.#calls += count
      this.#files += files.length
      this.#announce()
      if (this.#inFlight.size > 0 && !this.#isCanceled) await getTimers(this.#clock).delay(REST_MS)
      this.#worker.postMessage('stored')
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Each announcement is drawn, which would take longer than the import. */
  #announce(): void {
    const now = this.#clock.now()
    if (now < this.#quietUntil) return
    this.#quietUntil = now + PROGRESS_MS
    this.#onProgress(this.progress)
  }

  #fail(error: unknown): void {
    this.#error = errorMessage(error)
    void this.#worker.terminate()
  }

  #end(): RunResult {
    const outcome = this.#error !== null ? 'failed' : this.#isCanceled ? 'canceled' : 'done'
    return { startedAt: this.#startedAt, outcome, tools: this.#tools, error: this.#error }
  }
}

export function createHistory(deps: Deps): Feature {
  const history = new History(deps)
  let receiving: Promise<EventReceiver> | null = null
  /** Most users send no events, so their code is loaded with the first one. */
  const getReceiver = () => {
    receiving ??= import('./events/receive-events.ts').then((events) => new events.EventReceiver(deps))
    return receiving
  }
  return {
    handlers: {
      getHistory: () => history.read(),
      listImportedSessions: ({ query }) => history.listSessions(query),
      importHistory: ({ body: { since, ...choice } }) => {
        history.start({ ...choice, since: since === undefined ? undefined : Date.parse(since) })
        return history.read()
      },
      cancelHistoryImport: async () => {
        await history.cancel()
        return history.read()
      },
      receiveLogs: async ({ context }) => (await getReceiver()).receiveLogs(context),
      receiveMetrics: async ({ context }) => (await getReceiver()).ignore(context, 'metrics'),
      receiveTraces: async ({ context }) => (await getReceiver()).ignore(context, 'traces'),
      removeHistory: async ({ query: { tool = null } }) => ({ removed: await history.remove(tool) }),
    },
    close: () => history.close(),
  }
}
