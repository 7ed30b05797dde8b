import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, ListChecks, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Check } from '../../../shared/desktop/checks.ts'
import { crashes, runChecks } from '../../data/desktop-state.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyButton } from '../../kit/copy.tsx'
import { formatMoment } from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { CrashDialog } from '../../parts/diagnostics/diagnostics.tsx'
import { Row } from '../../parts/settings/section.tsx'

export function ChecksRow() {
  const { pending, error, submit } = useSubmit()
  const [checks, setChecks] = useState<Check[] | null>(null)
  const run = (calls: boolean) => submit(async () => setChecks(await runChecks(calls)))
  if (!isDesktop) {
    const command = <code className="font-mono">tollgate doctor</code>
    return (
      <Row
        text={
          <>
            On the computer of the gateway, run {command}. It checks port, keychain, disk, clock, database and
            providers, and says what to do.
          </>
        }
      />
    )
  }
  return (
    <Row
      text="Port, keychain, disk, clock, database, providers and more: what is wrong, and what to do. The same as tollgate doctor."
      error={error}
      below={checks === null ? null : <CheckList checks={checks} />}
    >
      {checks === null ? null : (
        <Button variant="quiet" disabled={pending} onClick={() => void run(true)}>
          Also call providers
        </Button>
      )}
      <Button icon={ListChecks} pending={pending} onClick={() => void run(false)}>
        {checks === null ? 'Run checks' : 'Run again'}
      </Button>
    </Row>
  )
}

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

export function CrashesRow() {
  const { data: reports = [] } = useQuery(crashes)
  const timeZone = useTimeZone()
  const [shownId, setShownId] = useState<string | null>(null)
  const shown = reports.find(({ id }) => id === shownId)
  if (!isDesktop) return null
  return (
    <Row
      text={
        reports.length === 0
          ? 'No crash reports. Reports stay on this computer.'
          : 'They stay on this computer until you delete them; the newest ten are kept.'
      }
      below={
        reports.length === 0 ? null : (
          <ul aria-label="Crash reports" className="mt-2 divide-y divide-line">
            {reports.map(({ id, at, summary }) => (
              <li key={id} className="flex items-center gap-3 py-1.5">
                <span className="w-40 shrink-0 text-ink-2 tabular-nums max-sm:w-auto">
                  {formatMoment(at, timeZone)}
                </span>
                <span className="min-w-0 flex-1">{summary}</span>
                <Button small variant="quiet" onClick={() => setShownId(id)}>
                  Show
                </Button>
              </li>
            ))}
          </ul>
        )
      }
    >
      {shown ? <CrashDialog report={shown} onClose={() => setShownId(null)} /> : null}
    </Row>
  )
}

/** The checks as text for a bug report. Of providers and folders, which can have names of persons and companies, only the state. */
function formatChecks(checks: readonly Check[]): string {
  return checks.map(formatCheck).join('\n')
}

/** Checks whose findings name no folder, provider or server. */
const PUBLIC = [
  ...[
    'Version',
    'Updates',
    'Disk',
    'Gateway',
    'Port',
    'Credentials',
    'Clock',
    'Database',
    'Requests',
    'Prices',
  ],
  'Providers',
]

function formatCheck({ name, state, found }: Check): string {
  if (PUBLIC.includes(name)) return `${name}: ${state}, ${found}`
  return `${isOfComputer(name) ? name : 'A provider'}: ${state}`
}

function isOfComputer(name: string): boolean {
  return ['Data folder', 'Socket', 'Last runs'].includes(name)
}
