import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { useAddressParam } from '../../use-address-param.ts'
import { CreateKey } from './create-key.tsx'
import { EditKey } from './edit-key.tsx'
import { KeyRow } from './key-row.tsx'
import { RevokeKey } from './revoke-key.tsx'

export function Keys() {
  const { data: keys, error, isPending, isLoadingError, refetch } = useQuery(queries.keys)
  const [editedId, setEditedId] = useAddressParam('edit')
  const [creating, setNew] = useAddressParam('new')
  const [revoking, setRevoking] = useState<KeyMetadata | null>(null)
  const setCreating = (on: boolean) => setNew(on ? '1' : null)
  const edited = keys?.find(({ id, revokedAt }) => id === editedId && revokedAt === null)
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  const sorted = keys?.toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null))

  return (
    <Page title="Keys" subtitle="One key for each tool, with its own cap." actions={create}>
      <Card>
        {isPending ? <SkeletonRows /> : null}
        {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
        {sorted?.length === 0 ? (
          <EmptyState
            icon={KeyRound}
            title="No keys yet"
            action={
              <Button icon={Plus} onClick={() => setCreating(true)}>
                Create the first key
              </Button>
            }
          >
            A key lets a tool call models through this gateway. Its cap is a hard limit on what it can ever
            spend.
          </EmptyState>
        ) : null}
        {sorted && sorted.length > 0 ? (
          <table className="w-full table-fixed border-collapse">
            <thead>
              <tr className="h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
                <th className="w-[26%] lg:w-[29%]">Name</th>
                <th className="w-36 max-lg:hidden">Scope</th>
                <th>Spend</th>
                <th className="w-28 max-lg:hidden">Last used</th>
                <th className="w-32 max-[1400px]:hidden">Created</th>
                <th className="w-46">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((key) => (
                <KeyRow
                  key={key.id}
                  record={key}
                  onEdit={() => setEditedId(key.id)}
                  onRevoke={() => setRevoking(key)}
                />
              ))}
            </tbody>
          </table>
        ) : null}
      </Card>
      {creating ? <CreateKey onClose={() => setCreating(false)} /> : null}
      {edited ? <EditKey key={edited.id} record={edited} onClose={() => setEditedId(null)} /> : null}
      {revoking ? <RevokeKey record={revoking} onClose={() => setRevoking(null)} /> : null}
    </Page>
  )
}
