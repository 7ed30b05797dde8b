import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Backup } from '../../../shared/api/account.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { restoreBackup } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { formatMoment } from '../../kit/format.ts'
import { describeRestore, IMPORTED_RESTORE, type SpentSince } from './since-backup.ts'

export function RestoreBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { data: keys = [] } = useQuery(queries.keys)
  const timeZone = useTimeZone()
  const [spent, setSpent] = useState<SpentSince | null>(null)
  useEffect(() => {
    const control = new AbortController()
    api('getUsage', { query: { from: backup.madeAt, groupBy: 'key' }, signal: control.signal }).then(
      ({ total }) => setSpent(total),
      // The dialog works without the amount.
      () => undefined,
    )
    return () => control.abort()
  }, [backup.madeAt])
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Restore the ${backup.imported ? 'imported backup' : 'backup'} of ${formatMoment(backup.madeAt, timeZone)}?`}
      description={
        <>
          <p className="text-ink">
            It replaces the current data when Tollgate restarts. Nothing changes until then.
          </p>
          <ul className="mt-2 flex list-disc flex-col gap-1 pl-4">
            {(backup.imported ? IMPORTED_RESTORE : describeRestore(backup.madeAt, spent, keys)).map(
              (sentence) => (
                <li key={sentence}>{sentence}</li>
              ),
            )}
          </ul>
        </>
      }
      action="Restore at next start"
      onConfirm={() => restoreBackup(backup.id)}
    />
  )
}
