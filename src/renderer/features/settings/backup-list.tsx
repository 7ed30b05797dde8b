import { useState } from 'react'
import type { Backup } from '../../../shared/api/account.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { formatAgo, formatBytes, formatMoment } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'

const COLLAPSED_COUNT = 5

interface BackupListProps {
  backups: readonly Backup[]
  restoreAtStart: string | null
  onExport: (backup: Backup) => void
  onRestore: (backup: Backup) => void
}

export function BackupList({ backups, restoreAtStart, onExport, onRestore }: BackupListProps) {
  const timeZone = useTimeZone()
  const now = useNow()
  const [all, setAll] = useState(false)
  if (backups.length === 0) {
    return <p className="px-4 py-3 text-ink-3">No backups yet.</p>
  }
  return (
    <div>
      <ul aria-label="Backups" className="divide-y divide-line">
        {backups.slice(0, all ? undefined : COLLAPSED_COUNT).map((backup) => {
          const when = formatMoment(backup.madeAt, timeZone)
          return (
            <li
              key={backup.id}
              className="flex min-h-10 flex-wrap items-center gap-x-3 py-1 pr-3 pl-4"
              title={backup.id}
            >
              <time dateTime={backup.madeAt} className="shrink-0">
                {when}
              </time>
              <span className="min-w-0 flex-1 truncate text-ink-3">
                {formatAgo(backup.madeAt, now, timeZone)}
              </span>
              {backup.imported ? <Badge>Imported</Badge> : null}
              <span className="shrink-0 text-ink-2">{formatBytes(backup.bytes)}</span>
              <Button
                small
                variant="quiet"
                aria-label={`Export the backup of ${when}`}
                onClick={() => onExport(backup)}
              >
                Export
              </Button>
              <span className="-ml-2 flex w-22 shrink-0 justify-end">
                {backup.id === restoreAtStart ? (
                  <span className="mr-1">
                    <Badge tone="warn">At next start</Badge>
                  </span>
                ) : (
                  <Button
                    small
                    variant="quiet"
                    aria-label={`Restore the backup of ${when}`}
                    onClick={() => onRestore(backup)}
                  >
                    Restore…
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {backups.length > COLLAPSED_COUNT ? (
        <div className="border-t px-2 py-1.5">
          <Button small variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${backups.length}`}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
