import { useEffect, useState } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { revokeKey } from '../../data/mutations.ts'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'

export function RevokeKey({ record, onClose }: { record: KeyMetadata; onClose: () => void }) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke ${quoteName(record.name)}?`}
      description={
        <div className="flex flex-col gap-2">
          <p>Requests with this key are rejected immediately. Running requests end within 5 seconds.</p>
          <p className="text-ink">
            <LastUse record={record} />
          </p>
          <p>
            Its requests and its spend stay in the log. A revoked key cannot be restored: to stop it only for
            a while, pause it instead.
          </p>
        </div>
      }
      action="Revoke key"
      onConfirm={() => revokeKey(record.id)}
    />
  )
}

function LastUse({ record }: { record: KeyMetadata }) {
  const [latest, setLatest] = useState<RequestRecord | null>(null)
  useEffect(() => {
    const control = new AbortController()
    api('listRequests', { query: { key: record.id, limit: 1 }, signal: control.signal }).then(
      ({ data }) => setLatest(data[0] ?? null),
      // Without it the dialog still says when the key was last used.
      () => undefined,
    )
    return () => control.abort()
  }, [record.id])
  if (record.lastUsedAt === null) return 'It has never been used.'
  return (
    <>
      It was last used <RelativeTime iso={record.lastUsedAt} />
      {latest?.client ? (
        <>
          {' '}
          by <span className="font-medium">{latest.client}</span>
        </>
      ) : null}
      {latest ? `, with ${latest.model ?? latest.requestedModel}` : ''}.
    </>
  )
}
