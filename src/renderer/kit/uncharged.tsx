import { formatUsd } from './format.ts'

/** Amounts that are known of requests and were not charged. */
export interface UnchargedSums {
  worthUsd: number
  savedUsd?: number
}

const AMOUNTS = [
  ['worthUsd', 'worth', 'Paid by your plan. It would have cost this by the vendor’s API.'],
  ['savedUsd', 'saved', 'Answered from the response cache. The stored answers cost this.'],
] as const

/** The worth of requests that a plan paid for, and what the response cache saved, next to the cost. Renders nothing for none. */
export function Uncharged({ sums, className = 'text-ink-3' }: { sums: UnchargedSums; className?: string }) {
  return (
    <>
      {AMOUNTS.map(([name, label, title]) => {
        const usd = sums[name]
        if (!usd) return null
        return (
          <span key={name} className={className} title={title}>
            {label} {formatUsd(usd)}
          </span>
        )
      })}
    </>
  )
}
