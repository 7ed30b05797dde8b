import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { Feature } from '../../../gateway/http/calls.ts'
import { type FileBody, readFileBody } from '../../../gateway/http/read-body.ts'
import type { ProviderRegistry } from '../../../gateway/models/providers/registry.ts'
import type { CostConfirmations } from '../../../gateway/observe/request-log/cost-confirmation.ts'
import { GatewayError, invalidRequest } from '../../../gateway/platform/errors.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import { NANO_PER_USD, nanoUsd } from '../../../shared/money/money.ts'
import { type Charges, MAX_EXPORT_BYTES } from '../api/reconciliations.ts'
import type { StatedCharge } from './compare.ts'
import type { Compared, ReconcileTask, WorkerAnswer } from './reconcile-worker.ts'

/** A CSV or JSON file. */
const EXPORT_FILE: FileBody = {
  types: /^(text\/|application\/(json|csv|octet-stream|vnd\.ms-excel|x-ndjson)\s*(;|$))/i,
  maxBytes: MAX_EXPORT_BYTES,
  otherType:
    'The body must be the file: send "Content-Type: text/csv", "application/json" or "application/octet-stream".',
  tooLarge: 'The file is larger than 64 MB. Export a shorter period.',
}

interface Deps {
  dataDir: string
  providers: ProviderRegistry
  confirmations: CostConfirmations
}

export function createReconcile({ dataDir, providers, confirmations }: Deps): Feature {
  /** One export is read after another: each can take much memory. */
  const queue = new SerialQueue()
  const closing = new AbortController()
  return {
    handlers: {
      reconcile: async ({ context, query: { provider, settle } }) => {
        const task = {
          bytes: await buffer(readFileBody(context, EXPORT_FILE)),
          dataDir,
          provider: provider === undefined ? null : providers.require(provider).id,
          configured: [...providers.listEnabled(), ...providers.listDisabled()].map(({ id }) => id),
        }
        return queue.run(async () => {
          const compared = await compareInThread(task, closing.signal)
          const settled = settle === 'true' ? await settleAll(compared.charges, confirmations) : []
          const { report, charges } =
            settled.length > 0 ? await compareInThread(task, closing.signal) : compared
          return { ...report, open: sumCharges(charges), settled: sumCharges(settled) }
        })
      },
    },
    async close() {
      closing.abort()
      await queue.run(async () => {})
    },
  }
}

/** Charges that are written together. */
const BATCH = 200

/** Returns those that were settled. One that has changed, or cannot have cost that much, is skipped. */
async function settleAll(
  charges: readonly StatedCharge[],
  confirmations: CostConfirmations,
): Promise<StatedCharge[]> {
  const settled: StatedCharge[] = []
  for (let at = 0; at < charges.length; at += BATCH) {
    const settling = charges.slice(at, at + BATCH).map(async (charge) => {
      try {
        const costNano = nanoUsd(Math.min(charge.costNano, Number.MAX_SAFE_INTEGER))
        await confirmations.confirm({ id: charge.id, costNano, by: 'reconciliation' })
        settled.push(charge)
      } catch (error) {
        // Not a refusal of this charge: the rest would fail as well.
        if (!(error instanceof GatewayError) || error.status >= 500) throw error
      }
    })
    await Promise.all(settling)
  }
  return settled
}

function sumCharges(charges: readonly StatedCharge[]): Charges {
  const nano = charges.reduce((sum, { changeNano }) => sum + changeNano, 0)
  return { requests: charges.length, changeUsd: nano / NANO_PER_USD }
}

// The built app starts a thread from the file next to its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './reconcile-worker.ts' : './reconcile-worker.js',
  import.meta.url,
)
const LIMIT_MS = 60_000
/** An export of the largest size takes less than half of it. */
const MAX_HEAP_MB = 1_500

/** Throws 400 `export_unreadable` for a file that cannot be read. */
async function compareInThread(workerData: ReconcileTask, closing: AbortSignal): Promise<Compared> {
  const worker = new Worker(WORKER, {
    workerData,
    name: 'reconciliation',
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(LIMIT_MS)])
    const [answer]: WorkerAnswer[] = await once(worker, 'message', { signal })
    if (!answer || 'refused' in answer) throw unreadable(answer?.refused ?? '')
    return answer
  } catch (error) {
    throw explainEnd(error, closing)
  } finally {
    await worker.terminate()
  }
}

function explainEnd(error: unknown, closing: AbortSignal): unknown {
  if (closing.aborted) return unreadable('Tollgate is stopping.')
  if (error instanceof Error && error.name === 'AbortError')
    return unreadable('Reading the file took too long. Export a shorter period.')
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return unreadable('The file is too large to be compared. Export a shorter period.')
  return error
}

function unreadable(message: string): GatewayError {
  return invalidRequest(message, { code: 'export_unreadable' })
}
