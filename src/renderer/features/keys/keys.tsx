import { useQuery } from '@tanstack/react-query'
import { CirclePause, KeyRound, Play, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { toKind } from '../../../shared/limits/limits.ts'
import { api } from '../../data/api.ts'
import { pauseKey, resumeKey, revokeKey, saveWithUndo } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { Switch } from '../../kit/controls.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { FilterBar } from '../../kit/filter-bar.tsx'
import { formatQuantity, quoteName } from '../../kit/format.ts'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { EmptyState, ErrorText, QueryState } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { useSortParam } from '../../kit/table-order.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { CreateKey } from '../../parts/keys/key-form.tsx'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { keyColumns, NEWEST_FIRST, useKeyItems } from './key-columns.tsx'
import { KeyDetails } from './key-details.tsx'

export function Keys() {
  const reading = useQuery(queries.keys)
  const { data: keys } = reading
  const [openId, setOpenId] = useAddressParam('edit')
  const [creating, setNew] = useAddressParam('new')
  const [text] = useAddressParam('q')
  const [showRevoked] = useAddressParam('revoked')
  const sorting = useSortParam(keyColumns, NEWEST_FIRST)
  const [revokingId, setRevokingId] = useAddressParam('revoke')
  const getItems = useKeyItems()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
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
        <QueryState query={reading} />
        {keys?.length === 0 ? (
          <EmptyState icon={KeyRound} title="No keys yet">
            A key lets a tool call models through this gateway. Its requests stop once its cap is spent.
            Create one for each tool.
          </EmptyState>
        ) : null}
        {shown && keys && keys.length > 0 ? (
          <>
            <MarkedKeys
              keys={shown.filter(({ id }) => marked.has(id))}
              onClear={() => setMarked(new Set())}
            />
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
                marking={{ marked, onMark: setMarked }}
                menu={{ label: 'Key', getItems }}
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

interface MarkedKeysProps {
  keys: readonly KeyMetadata[]
  onClear: () => void
}

/** What the marked keys have spent, and what can be done with all of them. */
function MarkedKeys({ keys, onClear }: MarkedKeysProps) {
  const { pending, error, submit } = useSubmit()
  const usable = keys.filter(({ revokedAt }) => revokedAt === null)
  const running = usable.filter(({ pausedAt }) => pausedAt === null)
  const pause = async (ids: readonly string[]) => {
    for (const id of ids) await pauseKey(id, 'finish')
  }
  const resume = async (ids: readonly string[]) => {
    for (const id of ids) await resumeKey(id)
  }
  const change = (changed: readonly KeyMetadata[], isPausing: boolean) => {
    const ids = changed.map(({ id }) => id)
    const count = formatQuantity(ids.length, 'key')
    return saveWithUndo({
      message: isPausing ? `${count} paused.` : `${count} resumed.`,
      save: () => (isPausing ? pause(ids) : resume(ids)),
      undo: () => (isPausing ? resume(ids) : pause(ids)),
    })
  }
  const rows = keys.map(({ id, spendUsd: costUsd }) => ({ id, costUsd }))
  return (
    <MarkedBar rows={rows} onClear={onClear} inCard>
      <ErrorText error={error} />
      {running.length > 0 ? (
        <Button
          small
          icon={CirclePause}
          pending={pending}
          onClick={() => void submit(() => change(running, true))}
        >
          Pause
        </Button>
      ) : usable.length > 0 ? (
        <Button small icon={Play} pending={pending} onClick={() => void submit(() => change(usable, false))}>
          Resume
        </Button>
      ) : null}
    </MarkedBar>
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
    openLimitDialog(keyId, limit && toKind(limit))
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

/** Every word must be in the name, or be the end of the secret or the id. */
function matchesKey({ name, secretHint, id }: KeyMetadata, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return words.every(
    (word) =>
      name.toLowerCase().includes(word) ||
      id === word ||
      (secretHint !== null && word.endsWith(secretHint.toLowerCase())),
  )
}

function RevokeKey({ record, onClose }: { record: KeyMetadata; onClose: () => void }) {
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

function lastRequest(key: string) {
  return volatileQuery(['usage-in', 'last-request', key], async () => {
    const { data } = await api('listRequests', { query: { key, limit: 1 } })
    return data[0] ?? null
  })
}

function LastUse({ record }: { record: KeyMetadata }) {
  // Without it the dialog still says when the key was last used.
  const { data: latest = null } = useQuery(lastRequest(record.id))
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

interface KeyFilterBarProps {
  /** The number of keys that are shown. */
  count: number
  revokedCount: number
}

function KeyFilterBar({ count, revokedCount }: KeyFilterBarProps) {
  const [text, setText] = useAddressParam('q')
  const [revoked, setRevoked] = useAddressParam('revoked')
  return (
    <FilterBar look="card" count={formatQuantity(count, 'key')}>
      <SearchField label="Search keys" value={text ?? ''} onChange={(next) => setText(next || null)} />
      {revokedCount === 0 ? null : (
        <span className="flex items-center gap-2 text-ink-2 text-sm">
          <span aria-hidden>{`Show ${revokedCount} revoked`}</span>
          <Switch
            label={`Show ${revokedCount} revoked`}
            on={revoked !== null}
            onChange={(on) => setRevoked(on ? '1' : null)}
          />
        </span>
      )}
    </FilterBar>
  )
}
