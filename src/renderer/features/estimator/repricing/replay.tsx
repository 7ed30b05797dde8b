import { useQuery } from '@tanstack/react-query'
import { FileX2 } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { storesBodies } from '../../../../shared/api/terms.ts'
import { queries } from '../../../data/queries.ts'
import { EmptyState, LoadError, SkeletonRows } from '../../../kit/notice.tsx'
import { Card } from '../../../kit/page.tsx'
import { useNow } from '../../../kit/use-now.ts'
import {
  type ReplayAddress,
  readReplayAddress,
  writeReplayAddress,
} from '../../../parts/replay/replay-address.ts'
import { useReplayCosts, useStoredRequests } from '../../../parts/replay/stored-requests.ts'
import { TurnOnStorage } from '../../../parts/requests/not-stored.tsx'
import { RepricingFilterBar } from './filter-bar.tsx'
import { ReplaySetup } from './replay-setup.tsx'
import { ReplayedRequest } from './replayed-request.tsx'
import { RequestChoice } from './request-choice.tsx'
import { useReplay } from './use-replay.ts'

/** Sends stored requests to two models, and shows the answers side by side. */
export function Replay() {
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const address = useMemo(() => readReplayAddress(search), [search])
  const { requests, models, keyId } = address
  const stored = useStoredRequests(requests, address.filter)
  const costs = useReplayCosts(requests)
  const replay = useReplay()
  const change = (part: Partial<ReplayAddress>) =>
    navigate(writeReplayAddress({ ...address, ...part }), { replace: true })

  // A first request, and the model that served it next to the other, so that nothing has to be chosen to begin.
  const [first] = stored.records
  const suggested = requests.length === 0 ? first : undefined
  const ownModel = first?.model ?? ''
  useEffect(() => {
    if (!suggested) return
    const [left, right] = models
    navigate(
      writeReplayAddress({ ...address, requests: [suggested.id], models: [left || ownModel, right] }),
      { replace: true },
    )
  }, [suggested, ownModel, models, address, navigate])

  if (stored.error) return <LoadError error={stored.error} onRetry={stored.refetch} />
  if (stored.isPending && stored.records.length === 0) return <SkeletonRows rows={8} />
  const isFiltered = Object.keys(address.filter).length > 0
  if (stored.records.length === 0 && !isFiltered) return <NothingStored />
  const replayed = stored.records.filter(({ id }) => replay.answers.has(id))
  return (
    <div className="flex flex-col gap-4">
      <ReplaySetup
        address={address}
        onChange={change}
        costs={costs}
        running={replay.running}
        onRun={() => void replay.run({ requests, models, keyId })}
        onStop={replay.stop}
      />
      <RequestChoice
        records={stored.records}
        chosen={requests}
        onChange={(ids) => change({ requests: ids })}
        disabled={replay.running}
        filter={<RepricingFilterBar filter={address.filter} onChange={(filter) => change({ filter })} />}
      />
      {replayed.map((record) => (
        <ReplayedRequest key={record.id} record={record} answers={replay.answers.get(record.id) ?? []} />
      ))}
    </div>
  )
}

function NothingStored() {
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  return (
    <Card>
      {settings && storesBodies(settings, now) ? (
        <EmptyState icon={FileX2} title="No chat is stored yet">
          Storage is on. New chats appear here once they have been answered.
        </EmptyState>
      ) : (
        <TurnOnStorage title="No prompt is stored">
          Storage is off. When you turn it on, the prompts of new requests are kept on this computer and can
          be replayed here.
        </TurnOnStorage>
      )}
    </Card>
  )
}
