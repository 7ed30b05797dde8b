import { useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useState } from 'react'
import type { Check } from '../../../shared/desktop/checks.ts'
import { crashes, examine } from '../../data/crashes.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { formatMoment } from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { CrashDialog } from '../../parts/diagnostics/crash-dialog.tsx'
import { CheckList } from './check-list.tsx'
import { CopyDiagnostics } from './copy-diagnostics.tsx'
import { Row, Section } from './section.tsx'

export function DiagnosticsSection() {
  return (
    <Section title="Diagnostics">
      {isDesktop ? <ChecksRow /> : <HeadlessChecks />}
      <CrashesRow />
      <Row
        title="Diagnostics for a bug report"
        text="Version and status details. Contains no keys, credentials, names or prompts."
      >
        <CopyDiagnostics />
      </Row>
    </Section>
  )
}

function ChecksRow() {
  const { pending, error, submit } = useSubmit()
  const [checks, setChecks] = useState<Check[] | null>(null)
  const run = (calls: boolean) => submit(async () => setChecks(await examine(calls)))
  return (
    <Row
      title="Checks"
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

function HeadlessChecks() {
  return (
    <Row
      title="Checks"
      text={
        <>
          On the computer of the gateway, run <code className="font-mono">tollgate doctor</code>. It checks
          port, keychain, disk, clock, database and providers, and says what to do.
        </>
      }
    />
  )
}

function CrashesRow() {
  const { data: reports = [] } = useQuery(crashes)
  const timeZone = useTimeZone()
  const [shownId, setShownId] = useState<string | null>(null)
  const shown = reports.find(({ id }) => id === shownId)
  if (!isDesktop) return null
  return (
    <Row
      title="Crash reports"
      text={
        reports.length === 0
          ? 'There is none. Reports stay on this computer.'
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
