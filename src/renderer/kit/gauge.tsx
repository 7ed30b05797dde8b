import type { ReactNode } from 'react'
import { CAP_WARN_FRACTION } from '../../shared/limits/limits.ts'
import { cn } from './cn.ts'
import { chooseUsdDecimals, formatOver, formatUsd } from './format.ts'
import { Money } from './money.tsx'

interface Spend {
  spentUsd: number
  reservedUsd: number
}

interface GaugeProps extends Spend {
  /** The accessible name: whose cap it is. */
  label: string
  /** Null: no cap; no bar is drawn. */
  limitUsd: number | null
  /** After the amounts, for a limit other than a cap: "per day". */
  after?: string | undefined
  /** At the limit, requests go on. */
  warnsOnly?: boolean
  /** A line below the bar. */
  more?: ReactNode
}

/**
 * "$3.20 left of $5.00", "Cap of $5.00 reached", "$5.02 of $5.00, $0.02 over", or that a cap of zero pauses the key; `after`: "…
 * of $5.00 per day".
 */
export function formatRemaining(spentUsd: number, limitUsd: number, after = ''): string {
  const what = after === '' ? 'Cap' : 'Limit'
  const suffix = after === '' ? '' : ` ${after}`
  if (limitUsd === 0) return after === '' ? 'Paused by a cap of $0' : `Paused by a limit of $0 ${after}`
  const over = formatOver(spentUsd, limitUsd)
  if (over !== null) {
    const decimals = chooseUsdDecimals([spentUsd, limitUsd])
    return `${formatUsd(spentUsd, decimals)} of ${formatUsd(limitUsd, decimals)}${suffix}, ${over}`
  }
  if (spentUsd >= limitUsd) return `${what} of ${formatUsd(limitUsd)}${suffix} reached`
  const leftUsd = limitUsd - spentUsd
  const decimals = chooseUsdDecimals([leftUsd, limitUsd])
  return `${formatUsd(leftUsd, decimals)} left of ${formatUsd(limitUsd, decimals)}${suffix}`
}

export function Gauge({
  label,
  spentUsd,
  reservedUsd,
  limitUsd,
  after,
  warnsOnly = false,
  more,
}: GaugeProps) {
  if (limitUsd === null) {
    return (
      <p className="truncate">
        <Money usd={spentUsd} /> <span className="text-ink-3">spent, no cap</span>
      </p>
    )
  }
  const reached = spentUsd >= limitUsd
  const isOver = limitUsd > 0 && spentUsd > limitUsd
  return (
    <div className={cn('flex flex-col', more ? 'gap-1' : 'gap-1.5')}>
      {/* The reserved amount wraps out of sight where it does not fit; what went over stays visible. */}
      <p className={cn('flex flex-wrap overflow-hidden', !isOver && 'h-5')} data-usd={spentUsd}>
        <span className={cn('max-w-full', !isOver && 'truncate', reached && reachedText(warnsOnly))}>
          {formatRemaining(spentUsd, limitUsd, after)}
        </span>
        {reservedUsd > 0 ? (
          <span className="whitespace-pre text-ink-3">{`· ${formatUsd(reservedUsd)} reserved`}</span>
        ) : null}
      </p>
      <GaugeBar
        label={label}
        spentUsd={spentUsd}
        reservedUsd={reservedUsd}
        limitUsd={limitUsd}
        warnsOnly={warnsOnly}
        after={after}
      />
      {more ? <p className="truncate text-ink-3 text-xs">{more}</p> : null}
    </div>
  )
}

/** Cuts a bar into dashes, which tell a part of it apart without color. */
const DASHES = { maskImage: 'repeating-linear-gradient(90deg, black 0 3px, transparent 3px 5px)' }

/** The text of a limit that is reached. */
export function reachedText(warnsOnly: boolean): string {
  return warnsOnly ? 'font-medium text-warn' : 'font-medium text-bad'
}

interface GaugeBarProps extends Spend {
  label: string
  limitUsd: number
  after?: string | undefined
  warnsOnly?: boolean
}

export function GaugeBar({
  label,
  spentUsd,
  reservedUsd,
  limitUsd,
  after,
  warnsOnly = false,
}: GaugeBarProps) {
  // The bar is as long as the limit, or as the spend if that is more.
  const whole = Math.max(spentUsd, limitUsd)
  const fraction = (usd: number) => (whole > 0 ? Math.min(1, usd / whole) : 1)
  const isOver = limitUsd > 0 && spentUsd > limitUsd
  const tone =
    spentUsd >= limitUsd && !warnsOnly
      ? 'bg-bad-fill'
      : fraction(spentUsd) >= CAP_WARN_FRACTION
        ? 'bg-warn-fill'
        : 'bg-accent'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot show spent and reserved apart
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limitUsd}
      aria-valuenow={Math.min(spentUsd, limitUsd)}
      aria-valuetext={formatRemaining(spentUsd, limitUsd, after)}
      className="flex h-1 overflow-hidden rounded-full bg-line"
    >
      <div
        className={cn('h-full', isOver && 'min-w-0 flex-1', tone)}
        style={{ width: `${fraction(Math.min(spentUsd, limitUsd || spentUsd)) * 100}%` }}
      />
      {isOver ? (
        <div
          data-part="over"
          className={cn('ml-0.5 h-full min-w-2 shrink-0', tone)}
          style={{ ...DASHES, width: `${fraction(spentUsd - limitUsd) * 100}%` }}
        />
      ) : null}
      <div
        className={cn('h-full opacity-40', tone)}
        style={{ width: `${Math.min(fraction(reservedUsd), 1 - fraction(spentUsd)) * 100}%` }}
      />
    </div>
  )
}
