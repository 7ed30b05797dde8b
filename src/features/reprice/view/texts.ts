import { formatCount, formatQuantity, formatUsd } from '../../../renderer/kit/format.ts'
import type { RepricedModel, Repricing } from '../api/repricing.ts'

/** Whole percent; never 100 % or 0 % of a part that is neither. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '0%'
  const percent = Math.round((100 * part) / whole)
  if (percent === 100 && part < whole) return '>99%'
  return percent === 0 && part > 0 ? '<1%' : `${percent}%`
}

/** Notes on the costs with a model that are not exact, one sentence each. */
export function modelNotes({
  unchecked,
  converted,
  limitsKnown,
  cachePriced,
  costUsd,
  uncachedUsd,
}: RepricedModel): string[] {
  const notes: string[] = []
  if (costUsd !== uncachedUsd) {
    notes.push(
      `It would not have had the same cache: between ${formatRange(costUsd, uncachedUsd)}, with as many cache hits as there were and with none.`,
    )
  } else if (!cachePriced && costUsd > 0) {
    notes.push('It has no price for a cache, so all input is at its full price.')
  }
  if (!limitsKnown) {
    notes.push(
      'Its capabilities or its context window are unknown, so some of the requests may not work on it. Set them in Models.',
    )
  }
  if (unchecked > 0) {
    notes.push(
      `${formatQuantity(unchecked, 'request')} may have had images, tools or JSON that it lacks: earlier versions did not record that.`,
    )
  }
  if (converted > 0) {
    notes.push(
      `The tokens of ${formatQuantity(converted, 'request')} are converted, because this model counts more or fewer for the same text.`,
    )
  }
  return notes
}

function formatRange(a: number, b: number): string {
  return `${formatUsd(Math.min(a, b))} and ${formatUsd(Math.max(a, b))}`
}

/** Notes on costs that are missing or not exact, whichever the model. */
export function repricingNotes({ estimated, unpriced, others, requests }: Repricing): string[] {
  const notes: string[] = []
  if (estimated > 0)
    notes.push(
      `${formatQuantity(estimated, 'request')} of ${formatCount(requests)} have estimated tokens or costs.`,
    )
  if (unpriced > 0) notes.push(`Left out: ${formatQuantity(unpriced, 'request')} whose cost is unknown.`)
  if (others.requests > 0) {
    notes.push(
      `Left out: ${formatQuantity(others.requests, 'request')} that are no chats (embeddings, images, audio), for ${formatUsd(others.chargedUsd)}.`,
    )
  }
  return notes
}
