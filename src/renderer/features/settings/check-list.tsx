import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { Check } from '../../../shared/desktop/checks.ts'
import { cn } from '../../kit/cn.ts'
import { CopyButton } from '../../kit/copy.tsx'
import { formatChecks } from '../../parts/diagnostics/format-checks.ts'

const STATES = {
  ok: { icon: CircleCheck, label: 'OK', className: 'text-good' },
  warning: { icon: TriangleAlert, label: 'Needs attention', className: 'text-warn' },
  failed: { icon: CircleX, label: 'Does not work', className: 'text-bad' },
} as const

/** The order of states: those that need attention come first. */
const ORDER = ['failed', 'warning', 'ok'] as const

export function CheckList({ checks }: { checks: readonly Check[] }) {
  const problems = checks.filter(({ ok }) => !ok).length
  const sorted = checks.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="font-medium">
          {problems === 0
            ? 'No problems found.'
            : `${problems === 1 ? 'One thing needs' : `${problems} things need`} your attention.`}
        </p>
        <CopyButton text={formatChecks(checks)} label="Copy report" />
      </div>
      <ul aria-label="Results" className="mt-2 divide-y divide-line rounded-lg border border-line">
        {sorted.map((check) => (
          <CheckItem key={check.name} {...check} />
        ))}
      </ul>
    </div>
  )
}

function CheckItem({ name, state, found, meaning, advice }: Check) {
  const { icon: Icon, label, className } = STATES[state]
  return (
    <li className="flex gap-3 px-3 py-2">
      <Icon size={15} role="img" aria-label={label} className={cn('mt-[3px] shrink-0', className)} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap gap-x-3">
          <span className="w-28 shrink-0 font-medium">{name}</span>
          <span className="min-w-60 flex-1 break-words text-ink-2">{capitalize(found)}</span>
        </div>
        {advice === null ? null : (
          <p className="mt-0.5 text-sm">
            <span className="break-words text-ink">{advice}</span>{' '}
            <span className="text-ink-3">{meaning}</span>
          </p>
        )}
      </div>
    </li>
  )
}

/** A word, but not the beginning of an address. */
function capitalize(text: string): string {
  return text.replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1))
}
