import { Link } from 'wouter'
import { formatCount } from './format.ts'

/**
 * The requests that a sum of costs leaves out: their cost is unknown, as their model has no price. Renders nothing for none.
 */
export function Unpriced({ count, short = false }: { count: number; short?: boolean }) {
  if (count === 0) return null
  const without = `${formatCount(count)} ${count === 1 ? 'request' : 'requests'} without a price`
  if (short) {
    return (
      <Link
        href={PRICES}
        title={`The sum leaves out ${without}. Set prices`}
        className="target whitespace-nowrap font-normal text-accent-ink text-sm hover:underline"
      >
        + {formatCount(count)} unpriced
      </Link>
    )
  }
  return (
    <span className="text-ink-3">
      + {without} ·{' '}
      <Link href={PRICES} className="target text-accent-ink underline underline-offset-2">
        Set prices
      </Link>
    </span>
  )
}

/** The models without a price. */
const PRICES = '/models?price=none'
