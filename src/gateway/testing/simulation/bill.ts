// The cost of one call at its vendor, and the vendor's report.
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { NO_TOKENS, type VendorTokens } from '../../upstream/testing/vendor-formats.ts'
import type { Random } from '../random.ts'
import type { SimulatedModel } from './models.ts'
import type { Disk } from './store.ts'
import type { ReceivedRequest } from './vendor-meter.ts'

/** How a vendor reports usage, of which only `honest` and `twice` are true to its bill. */
const REPORTS = [
  { name: 'honest', weight: 60 },
  { name: 'twice', weight: 8 },
  { name: 'never', weight: 6 },
  { name: 'zero', weight: 3 },
  { name: 'negative', weight: 2 },
  { name: 'tenfold', weight: 3 },
  { name: 'millionfold', weight: 3 },
] as const
type Report = (typeof REPORTS)[number]['name']

/** The outcomes of a call. Vendors bill none that they answer with an error status. */
const OUTCOMES = [
  { name: 'answer', weight: 86 },
  { name: 'status', weight: 4 },
  { name: 'refused', weight: 2 },
  { name: 'reset', weight: 2 },
  { name: 'reset-after-work', weight: 3 },
  { name: 'silent', weight: 3 },
] as const
type Outcome = (typeof OUTCOMES)[number]['name']

/** The vendor's bill for one call, as far as it has run. */
export interface Bill {
  readonly action: number
  readonly model: SimulatedModel
  readonly received: ReceivedRequest
  /** The format of the call: a vendor may serve several. */
  readonly format: ApiFormat
  /** The secret that the call was authorized by. */
  readonly credential: string
  readonly sentAt: number
  readonly report: Report
  readonly outcome: Outcome
  /** The status of an error that the vendor answers with; null for none. */
  readonly status: number | null
  /** Tokens that the vendor adds to the prompt by itself, as relays do. */
  readonly unasked: number
  /** The tier in which it is served, and by what that multiplies the prices of tokens. */
  readonly tier: string
  readonly tierFactor: number
  /** How often the disk had begun to fail before the call, and whether it failed at that time. */
  readonly diskFailures: number
  readonly isDiskFailing: boolean
  usage: VendorTokens
  /** Nano-dollars, which grow until the work has ended. */
  nano: number
  /** The part that was sent before the gateway has ended the call, whether or not it has read that. */
  deliveredNano: number
  /** The most that one batch of a stream has added. */
  batchNano: number
  isOver: boolean
  /** Whether the gateway has the vendor's last word. */
  isDelivered: boolean
}

/** The call of a bill. */
type CallParts = Pick<Bill, 'action' | 'model' | 'received' | 'format' | 'credential' | 'unasked'>

/** The bill of a call that has just reached its vendor. */
export function openBill(
  called: CallParts,
  { sentAt, disk }: { sentAt: number; disk: Pick<Disk, 'failures' | 'failingSince'> },
  random: Random,
): Bill {
  const { received, model } = called
  const outcome = random.pick(OUTCOMES).name
  const report = random.pick(REPORTS).name
  const tier = drawTier(received, model, random)
  const status = outcome === 'status' ? random.any([400, 429, 500, 503, 529]) : null
  return {
    ...called,
    sentAt,
    report,
    outcome,
    status,
    tier,
    tierFactor: model.tierFactors?.[tier] ?? 1,
    diskFailures: disk.failures,
    isDiskFailing: disk.failingSince !== null && disk.failingSince < sentAt,
    usage: NO_TOKENS,
    nano: 0,
    deliveredNano: 0,
    batchNano: 0,
    isOver: false,
    isDelivered: false,
  }
}

/** Tokens that a relay adds to a prompt by itself; some bill more than fits into the model's context window. */
export function drawUnasked({ contextWindow }: SimulatedModel, random: Random): number {
  return random.chance(0.05) ? random.any([2_000, 20_000, contextWindow >> 1, 3 * contextWindow]) : 0
}

/** The tier in which a vendor serves a request; a busy one serves it in the standard tier. */
function drawTier({ tier }: ReceivedRequest, { tierFactors }: SimulatedModel, random: Random): string {
  const isServed = tier !== null && tierFactors?.[tier] !== undefined && random.chance(0.8)
  return isServed ? tier : 'default'
}
