import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { toKind } from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { DataTable, useSortParam } from '../../kit/data-table.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { CreateKey } from '../../parts/keys/create-key.tsx'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { keyColumns, NEWEST_FIRST } from './key-columns.tsx'
import { KeyDetails } from './key-details.tsx'
import { matchesKey } from './key-filter.ts'
import { KeyFilterBar } from './key-filter-bar.tsx'
import { RevokeKey } from './revoke-key.tsx'

export function Keys() {
  const { data: keys, error, isPending, isLoadingError, refetch } = useQuery(queries.keys)
  const [openId, setOpenId] = useAddressParam('edit')
  const [creating, setNew] = useAddressParam('new')
  const [text] = useAddressParam('q')
  const [showRevoked] = useAddressParam('revoked')
  const sorting = useSortParam(keyColumns, NEWEST_FIRST)
  const [revokingId, setRevokingId] = useAddressParam('revoke')
  useOpenCap(keys)
  const opened = keys?.find(({ id }) => id === openId)
  const revoking = keys?.find(({ id, revokedAt }) => id === revokingId && revokedAt === null)
  const revoked = keys?.filter(({ revokedAt }) => revokedAt !== null) ?? []
  const shown = keys?.filter(
    (key) => (key.revokedAt === null || showRevoked !== null) && matchesKey(key, text ?? ''),
  )

  return (
    <Page
      title="Keys"
      subtitle="One key per tool, each with a spending cap."
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setNew('1')}>
          Create key
        </Button>
      }
    >
      <Card>
        {isPending ? <SkeletonRows /> : null}
        {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
        {keys?.length === 0 ? (
          <EmptyState icon={KeyRound} title="No keys yet">
            A key lets a tool call models through this gateway. Its requests stop once its cap is spent.
            Create one for each tool.
          </EmptyState>
        ) : null}
        {shown && keys && keys.length > 0 ? (
          <>
            <KeyFilterBar count={shown.length} revokedCount={revoked.length} />
            {shown.length === 0 ? (
              <p className="px-4 py-10 text-center text-ink-3">
                {text ? 'No keys match this search.' : 'All keys are revoked. Create one for each tool.'}
              </p>
            ) : (
              <DataTable
                columns={keyColumns}
                rows={shown}
                getId={({ id }) => id}
                getName={({ name }) => name}
                sorting={sorting}
                rank={revokedLast}
                stacked
                rowHeight="h-15 max-sm:h-auto"
                rowClass={({ revokedAt }) =>
                  cn(
                    'cursor-default hover:bg-sunken/50 max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-y-2 max-sm:py-3',
                    revokedAt !== null && 'text-ink-3',
                  )
                }
                onOpen={({ id }) => setOpenId(id)}
              />
            )}
          </>
        ) : null}
      </Card>
      {creating ? <CreateKey onClose={() => setNew(null)} /> : null}
      {opened ? (
        <KeyDetails
          key={opened.id}
          record={opened}
          onClose={() => setOpenId(null)}
          onRevoke={() => setRevokingId(opened.id)}
        />
      ) : null}
      {revoking ? <RevokeKey record={revoking} onClose={() => setRevokingId(null)} /> : null}
    </Page>
  )
}

/** Opens the cap or limit that the address names, as the one of a desktop notification does. */
function useOpenCap(keys: readonly KeyMetadata[] | undefined): void {
  const [params, setParams] = useSearchParams()
  const keyId = params.get('cap')
  const place = params.get('limit')
  const key = keys?.find(({ id }) => id === keyId)
  useEffect(() => {
    // The limits of a key are known once it has been read.
    if (keyId === null || (place !== null && keys === undefined)) return
    const limit = place === null ? undefined : key?.spendLimits[Number(place)]
    openLimitDialog(keyId, limit ? toKind(limit) : null)
    setParams(
      (before) => {
        before.delete('cap')
        before.delete('limit')
        return before
      },
      { replace: true },
    )
  })
}

const revokedLast = ({ revokedAt }: KeyMetadata) => Number(revokedAt !== null)
