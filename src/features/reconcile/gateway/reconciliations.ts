import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { Feature } from '../../../gateway/http/calls.ts'
import { type FileBody, readFileBody } from '../../../gateway/http/read-body.ts'
import type { ProviderRegistry } from '../../../gateway/models/providers/registry.ts'
import type { CostConfirmations } from '../../../gateway/observe/request-log/cost-confirmation.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import { GatewayError, invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { Store } from '../../../gateway/store/store.ts'
import { usdToNano } from '../../../shared/money/money.ts'
import {
  MAX_EXPORT_BYTES,
  Reconciliation,
  ReconciliationSummary,
  type Settleable,
} from '../api/reconciliations.ts'
import type { ReconcileTask, WorkerAnswer } from './reconcile-worker.ts'
import { sumSettleable } from './sides.ts'

/** A CSV or JSON file. */
const EXPORT_FILE: FileBody = {
  types: /^(text\/|application\/(json|csv|octet-stream|vnd\.ms-excel|x-ndjson)\s*(;|$))/i,
  maxBytes: MAX_EXPORT_BYTES,
  otherType:
    'The body must be the file: send "Content-Type: text/csv", "application/json" or "application/octet-stream".',
  tooLarge: 'The file is larger than 64 MB. Export a shorter period.',
}

interface Deps {
  store: Store
  clock: Clock
  dataDir: string
  confirmations: CostConfirmations
}

const Details = Reconciliation.pick({ lines: true, items: true, itemsLeftOut: true, settleable: true })
/** Charges that are written together. */
const BATCH = 200

class Reconciliations {
  readonly #deps: Deps
  readonly #thread = new ReconcileThread()
  readonly #settling = new SerialQueue()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Compares and stores. Throws 400 for a file that cannot be read. */
  async create(file: Omit<ReconcileTask, 'dataDir'>, name: string): Promise<Reconciliation> {
    const { clock, dataDir } = this.#deps
    const compared = await this.#thread.run({ ...file, dataDir })
    const createdAt = clock.now()
    const created: Reconciliation = {
      id: `rec_${randomBytes(12).toString('hex')}`,
      createdAt: new Date(createdAt).toISOString(),
      name,
      ...compared,
    }
    await this.#write(created)
    return created
  }

  async list(): Promise<ReconciliationSummary[]> {
    const summaries = await this.#deps.store.read('listReconciliations')
    return summaries.map((text) => ReconciliationSummary.parse(JSON.parse(text)))
  }

  /** Throws 404. */
  async get(id: string): Promise<Reconciliation> {
    const stored = await this.#deps.store.read('getReconciliation', id)
    if (!stored) throw unknown(id)
    return {
      ...ReconciliationSummary.parse(JSON.parse(stored.summary)),
      ...Details.parse(JSON.parse(stored.details)),
    }
  }

  /** Settles all charges that are open. Those that changed since, or cannot have that cost, are skipped. Throws 404. */
  settle(id: string): Promise<Reconciliation> {
    return this.#settling.run(async () => {
      const stored = await this.get(id)
      const open = stored.settleable.filter(({ state }) => state === 'open')
      const done = new Map<Settleable, Settleable>()
      const after = (): Reconciliation => {
        const settleable = stored.settleable.map((charge) => done.get(charge) ?? charge)
        return { ...stored, settleable, ...sumSettleable(settleable) }
      }
      try {
        for (let at = 0; at < open.length; at += BATCH) {
          const batch = open.slice(at, at + BATCH)
          const settling = batch.map(async (charge) =>
            done.set(charge, { ...charge, state: await this.#confirm(id, charge) }),
          )
          await Promise.all(settling)
        }
      } finally {
        // Also what was settled before a failure.
        await this.#write(after())
      }
      return after()
    })
  }

  /** Throws 404. */
  async delete(id: string): Promise<void> {
    if (!(await this.#deps.store.write('deleteReconciliation', id))) throw unknown(id)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #confirm(
    reconciliationId: string,
    { requestId: id, afterUsd }: Settleable,
  ): Promise<Settleable['state']> {
    try {
      await this.#deps.confirmations.confirm({ id, costNano: usdToNano(afterUsd), reconciliationId })
      return 'settled'
    } catch (error) {
      // Not a refusal of this charge: the rest would fail as well.
      if (!(error instanceof GatewayError) || error.status >= 500) throw error
      return 'skipped'
    }
  }

  async #write(reconciliation: Reconciliation): Promise<void> {
    const { id, createdAt } = reconciliation
    await this.#deps.store.write('putReconciliation', {
      id,
      createdAt: Date.parse(createdAt),
      summary: JSON.stringify(ReconciliationSummary.parse(reconciliation)),
      details: JSON.stringify(Details.parse(reconciliation)),
    })
  }
}

function unknown(id: string) {
  return notFound(`There is no reconciliation "${id}". GET /v1/reconciliations lists them.`)
}

// The built app starts a thread from the file next to its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './reconcile-worker.ts' : './reconcile-worker.js',
  import.meta.url,
)
const LIMIT_MS = 60_000
/** An export of the largest size takes less than half of it. */
const MAX_HEAP_MB = 1_500

/** Reads exports one after another, each in a separate thread. */
class ReconcileThread {
  readonly #tasks = new SerialQueue()
  #running: Worker | null = null
  #closed = false

  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.terminate()
  }

  /** Throws 400 `export_unreadable` for a file that cannot be read. */
  run(task: ReconcileTask) {
    return this.#tasks.run(async () => {
      if (this.#closed) throw unreadable('Tollgate is stopping.')
      const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>()
      const worker = new Worker(WORKER, {
        workerData: task,
        name: 'reconciliation',
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      })
      this.#running = worker
      const timer = setTimeout(() => void worker.terminate(), LIMIT_MS)
      worker.once('message', resolve)
      worker.once('error', (error) =>
        reject(
          isOutOfMemory(error)
            ? unreadable('The file is too large to be compared. Export a shorter period.')
            : error,
        ),
      )
      worker.once('exit', () =>
        reject(unreadable('Reading the file took too long. Export a shorter period.')),
      )
      try {
        const answer = await promise
        if ('refused' in answer) throw unreadable(answer.refused)
        return answer.result
      } finally {
        clearTimeout(timer)
        this.#running = null
      }
    })
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function unreadable(message: string) {
  return invalidRequest(message, { code: 'export_unreadable' })
}

export function createReconcile(deps: Deps & { providers: ProviderRegistry }): Feature {
  const { providers } = deps
  const reconciliations = new Reconciliations(deps)
  return {
    handlers: {
      createReconciliation: async ({ context, query: { provider, name } }) => {
        const configured = [...providers.listEnabled(), ...providers.listDisabled()].map(({ id }) => id)
        const file = {
          bytes: await buffer(readFileBody(context, EXPORT_FILE)),
          provider: provider === undefined ? null : providers.require(provider).id,
          configured,
        }
        return reconciliations.create(file, name)
      },
      listReconciliations: async () => ({ data: await reconciliations.list() }),
      getReconciliation: ({ id }) => reconciliations.get(id),
      settleReconciliation: ({ id }) => reconciliations.settle(id),
      deleteReconciliation: async ({ id }) => {
        await reconciliations.delete(id)
        return { id, deleted: true }
      },
    },
    close: () => reconciliations.close(),
  }
}
