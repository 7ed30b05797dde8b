import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { updateSettings } from '../../../renderer/data/mutations.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { IconButton } from '../../../renderer/kit/icon-button.tsx'
import { Card } from '../../../renderer/kit/page.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import type { HistoryState } from '../../../shared/api/history.ts'
import { ExpiringLogs, IMPORT_TEXT, ImportControls } from './history.tsx'

interface HistoryCardProps {
  state: HistoryState
  onDismiss: () => void
}

/** Offers to import what agents have used before, and says what an import has found. */
export function HistoryCard({ state, onDismiss }: HistoryCardProps) {
  const { found, last, expiring, running } = state
  const isImported = last !== null && running === null
  return (
    <Card className="p-5">
      <header className="flex items-start justify-between gap-4">
        <h2 className="font-semibold text-lg">
          {isImported ? 'Your agents’ history' : 'See what your agents have used so far'}
        </h2>
        <IconButton label="Dismiss" icon={X} small onClick={onDismiss} />
      </header>
      <p className="max-w-3xl text-ink-2">
        {isImported
          ? last.summary
          : `${found.map(({ name }) => name).join(', ')} ${found.length === 1 ? 'has' : 'have'} logs on this computer. ${IMPORT_TEXT}`}
      </p>
      {expiring ? <ExpiringLogs expiring={expiring} /> : null}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {isImported && !expiring ? (
          <KeepUpToDate />
        ) : (
          <ImportControls state={state} label="Import history" variant="primary" />
        )}
      </div>
    </Card>
  )
}

function KeepUpToDate() {
  const { data: settings } = useQuery(queries.settings)
  const { pending, submit } = useSubmit()
  if (!settings) return null
  return (
    <span className="flex items-center gap-2 text-ink-2">
      <Switch
        label="Keep history up to date"
        on={settings.keepHistory}
        disabled={pending}
        onChange={(on) => void submit(() => updateSettings({ keepHistory: on }))}
      />
      <span aria-hidden>Keep up to date every ten minutes</span>
    </span>
  )
}
