import { formatUsd, formatUsdExact } from '../format.ts'

/** An amount in short form, with the exact one (to the nano-dollar) as its tooltip. */
export function Money({ usd, className }: { usd: number; className?: string }) {
  return (
    <span title={formatUsdExact(usd)} data-usd={usd} className={className}>
      {formatUsd(usd)}
    </span>
  )
}
