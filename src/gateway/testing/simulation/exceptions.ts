// The amounts by which a bill may exceed the figures of the gateway: the closed list in docs/caps.md, "What
// can exceed a limit". There is none for strict keys.
import type { Bill } from './bill.ts'
import { computeFull, computePrice, computeUnasked } from './vendor-meter.ts'

/**
 * Output tokens that a stream of a model that reasons reserves at its start, by effort; docs/money.md. More than that is known
 * only when the provider reports it.
 */
const LIKELY_OUTPUT: Readonly<Record<string, number>> = {
  none: 1_000,
  minimal: 1_000,
  low: 4_000,
  medium: 8_000,
  high: 20_000,
}
const USUAL_OUTPUT = 8_000
const LEAST_OUTPUT = 1_000

/** Four bytes of text count as one token before the vendor has reported them: there are vocabularies with a third more. */
const UNCOUNTED = 0.25

export interface Circumstances {
  bill: Bill
  /** Whether the forecast knows enough answers: then their lengths decide what is likely. */
  isForecast: boolean
  /** Whether nothing of the stream can be read, because its row is not durable. */
  isWaiting: boolean
  /** Whether a limit leaves nothing for the output that is likely. */
  isAtLimit: boolean
}

/** Each in nano-dollars. */
const exceptions: Readonly<Record<string, (circumstances: Circumstances) => number>> = {
  // The vendor works on until the end of the call reaches it. All that it has sent before counts, whether or not it was read.
  'the network': ({ bill: { nano, deliveredNano } }) => nano - deliveredNano,
  'the tokens of the text of a stream': ({ bill }) => bill.usage.text * UNCOUNTED * outputNano(bill),
  // Before its report, a prompt counts like text where a limit leaves nothing for its bound.
  'the tokens of its prompt': ({ bill, isAtLimit }) =>
    isAtLimit && !bill.isDelivered ? promptNano(bill) * (bill.received.images > 0 ? 1 : UNCOUNTED) : 0,
  // It is counted as soon as the row is durable.
  'what comes before its row is durable': ({ bill, isWaiting }) =>
    isWaiting ? bill.usage.text * outputNano(bill) : 0,
  // Only the vendor knows how much a model reasons before it says so.
  'reasoning beyond the likely output': ({ bill, isForecast, isAtLimit }) => {
    const { text, reasoning } = bill.usage
    const likely = isAtLimit ? 0 : isForecast ? LEAST_OUTPUT : likelyOutput(bill)
    return (reasoning - Math.max(0, likely - text)) * outputNano(bill)
  },
}

/**
 * The part of a bill that is not known before its report, also under strict limits: what a relay adds by itself. It counts when the
 * report is charged, up to the limits of the model.
 */
export function computeUnreported(bill: Bill, isCharged: boolean): number {
  if (isCharged && bill.isDelivered && isTrue(bill)) return Math.max(0, bill.nano - computeFull(bill))
  return computeUnasked(bill)
}

export const isTrue = ({ report }: Bill): boolean => report === 'honest' || report === 'twice'

/** The bill for a stream of a normal key beyond the gateway's knowledge. Plain calls reserve all of it. */
export function computeExceptions(circumstances: Circumstances): number {
  if (!circumstances.bill.received.streams) return 0
  return Object.values(exceptions).reduce((sum, exceed) => sum + Math.max(0, exceed(circumstances)), 0)
}

function promptNano(bill: Bill): number {
  const { usage, model, tierFactor } = bill
  return (
    computePrice({ ...usage, text: 0, reasoning: 0, searches: 0 }, model.prices, tierFactor) -
    computeUnasked(bill)
  )
}

function outputNano({ model, tierFactor }: Bill): number {
  return model.prices.outputPerMillion * 1_000 * tierFactor
}

/** The gateway goes by the effort that the client asks for, which it translates to a budget for some vendors. */
function likelyOutput({ received: { effort, budget } }: Bill): number {
  const usual = LIKELY_OUTPUT[effort ?? ''] ?? USUAL_OUTPUT
  return budget === null ? usual : Math.min(budget + LEAST_OUTPUT, usual)
}
