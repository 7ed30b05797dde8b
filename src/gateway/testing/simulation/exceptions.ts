// The amounts by which a bill may exceed the figures of the gateway: the closed list of exceptions in docs/money.md and
// docs/caps.md. There is none for strict keys.
import type { Bill } from './bill.ts'

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
}

/** Each in nano-dollars. */
const exceptions: Readonly<Record<string, (circumstances: Circumstances) => number>> = {
  // The vendor works on until the end of the call reaches it.
  'the network': ({ bill: { nano, deliveredNano } }) => nano - deliveredNano,
  'the tokens of the text of a stream': ({ bill }) => bill.usage.text * UNCOUNTED * outputNano(bill),
  // It is counted as soon as the row is durable.
  'what comes before its row is durable': ({ bill, isWaiting }) =>
    isWaiting ? bill.usage.text * outputNano(bill) : 0,
  // Only the vendor knows how much a model reasons before it says so.
  'reasoning beyond the likely output': ({ bill, isForecast }) => {
    const { text, reasoning } = bill.usage
    const likely = isForecast ? LEAST_OUTPUT : likelyOutput(bill)
    return (reasoning - Math.max(0, likely - text)) * outputNano(bill)
  },
}

/** The bill for a stream of a normal key beyond the gateway's knowledge. Plain calls reserve all of it. */
export function computeExceptions(circumstances: Circumstances): number {
  if (!circumstances.bill.received.streams) return 0
  return Object.values(exceptions).reduce((sum, exceed) => sum + Math.max(0, exceed(circumstances)), 0)
}

function outputNano({ model, tierFactor }: Bill): number {
  return model.prices.outputPerMillion * 1_000 * tierFactor
}

/** The gateway goes by the effort that the client asks for, which it translates to a budget for some vendors. */
function likelyOutput({ received: { effort, budget } }: Bill): number {
  const usual = LIKELY_OUTPUT[effort ?? ''] ?? USUAL_OUTPUT
  return budget === null ? usual : Math.min(budget + LEAST_OUTPUT, usual)
}
