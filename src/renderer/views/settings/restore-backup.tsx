// Owns asking before a backup is to take the database's place: exactly what that undoes.
import { useEffect, useState } from 'react'
import type { Backup } from '../../../shared/account.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { formatMoment } from '../../format.ts'
import { isDesktop } from '../../is-desktop.ts'
import { useTimeZone } from '../../stores/account.ts'
import { useBackups } from '../../stores/backups.ts'
import { useKeys } from '../../stores/keys.ts'
import { type SpentSince, undoneWords } from './since-backup.ts'

export function RestoreBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const restoreBackup = useBackups((store) => store.restoreBackup)
  const keys = useKeys((store) => store.keys)
  const timeZone = useTimeZone()
  const [spent, setSpent] = useState<SpentSince | null>(null)
  useEffect(() => {
    const control = new AbortController()
    api('getUsage', { query: { from: backup.madeAt, groupBy: 'key' }, signal: control.signal }).then(
      ({ total }) => setSpent(total),
      // The dialog then says it without the amount.
      () => undefined,
    )
    return () => control.abort()
  }, [backup.madeAt])
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Restore the backup of ${formatMoment(backup.madeAt, timeZone)}?`}
      description={
        <>
          <p className="text-ink">
            {isDesktop
              ? 'At the next start it takes the place of the present data. Nothing changes until then.'
              : 'When tollgate serve is started again, it takes the place of the present data. Nothing changes until then.'}
          </p>
          <ul className="mt-2 flex list-disc flex-col gap-1 pl-4">
            {undoneWords(backup.madeAt, spent, keys).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </>
      }
      action="Restore at next start"
      onConfirm={() => restoreBackup(backup.id)}
    />
  )
}
