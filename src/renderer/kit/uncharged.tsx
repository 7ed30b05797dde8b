import { formatUsd } from './format.ts'

/** Amounts that are known of requests and were not charged. */
export interface UnchargedSums {
  worthUsd: number
  savedUsd?: number
  energyWh?: number | null
  energyUsd?: number | null
}

const AMOUNTS = [
  ['worthUsd', 'worth', 'Paid by your plan. It would have cost this by the vendor’s API.'],
  ['savedUsd', 'saved', 'Answered from the response cache. The stored answers cost this.'],
] as const

/**
 * What requests are worth that a plan paid for, what the response cache saved, and the energy of local models, next to the cost.
 * Renders nothing for none.
 */
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
      <Energy wh={sums.energyWh ?? 0} usd={sums.energyUsd ?? 0} className={className} />
    </>
  )
}

/** "0.4 Wh · $0.0001". Renders nothing for none. */
export function Energy({ wh, usd, className }: { wh: number; usd: number; className: string }) {
  if (wh === 0) return null
  return (
    <span
      className={className}
      title="The energy of the machine while its models answered, by the watts of its provider. It is not charged, and in no cap."
    >
      {formatEnergy(wh)}
      {usd === 0 ? null : ` · ${formatUsd(usd)}`}
    </span>
  )
}

/** Two digits below 10: `0.42 Wh`, `37 Wh`, `1.2 kWh`. */
export function formatEnergy(wh: number): string {
  const [amount, unit] = wh < 1_000 ? [wh, 'Wh'] : [wh / 1_000, 'kWh']
  const text = amount < 10 ? String(Number(amount.toPrecision(2))) : String(Math.round(amount))
  return `${text} ${unit}`
}
