import { ArrowUpRight } from 'lucide-react'
import { Link } from 'wouter'
import { cn } from '../../kit/cn.ts'
import { type Plot, seriesColor } from './plot.ts'

interface ChartLegendProps {
  label: string
  plot: Plot
  /** The ids of the series that are not drawn. */
  hidden: ReadonlySet<string>
  format: (value: number) => string
  onToggle: (id: string) => void
  /** Where all groups are listed. */
  allHref: string
}

/** The series with their sums. A press hides one or shows it again. */
export function ChartLegend({ label, plot, hidden, format, onToggle, allHref }: ChartLegendProps) {
  return (
    <ul aria-label={label} className="flex min-h-9 flex-wrap gap-x-2 px-3 pt-1 pb-2 text-sm">
      {plot.series.map(({ id, label: name, total }, index) => {
        const isHidden = id !== null && hidden.has(id)
        const color = seriesColor(index, plot.kind)
        const content = (
          <>
            <span
              aria-hidden
              className={cn('size-2 shrink-0 rounded-[2px]', isHidden && 'opacity-30')}
              style={{ background: color }}
            />
            <span className={cn('max-w-56 truncate', isHidden ? 'text-ink-3 line-through' : 'text-ink-2')}>
              {name}
            </span>
            {total === null ? null : <span className="text-ink-3 tabular-nums">{format(total)}</span>}
          </>
        )
        return (
          <li key={id ?? ''} className="flex min-w-0">
            {id === null ? (
              <Link href={allHref} className={entry} title="Show all in Usage">
                {content}
                <ArrowUpRight size={12} aria-hidden className="shrink-0 text-ink-3" />
              </Link>
            ) : (
              <button
                type="button"
                aria-pressed={!isHidden}
                title={isHidden ? `Show ${name}` : `Hide ${name}`}
                onClick={() => onToggle(id)}
                className={entry}
              >
                {content}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const entry = 'flex min-w-0 items-center gap-1.5 rounded-sm min-h-6 px-1 py-0.5 hover:bg-sunken'
