// Owns an amount on the screen: short to read, exact to the nano-dollar under the pointer.
import { formatUsd, formatUsdExact } from '../format.ts'

export function Money({ usd, className }: { usd: number; className?: string }) {
  return (
    <span title={formatUsdExact(usd)} data-usd={usd} className={className}>
      {formatUsd(usd)}
    </span>
  )
}
