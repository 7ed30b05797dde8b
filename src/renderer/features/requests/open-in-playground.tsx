import { useQuery } from '@tanstack/react-query'
import { MessageSquareShare, Repeat2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import { api } from '../../data/api.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { replayRequest } from '../../parts/chats/replayed-chat.ts'
import { writeReplayAddress } from '../../parts/replay/replay-address.ts'
import { isReplayable } from '../../parts/replay/stored-requests.ts'

/** The actions on a stored prompt. */
export function RequestActions({ record }: { record: RequestRecord }) {
  const [, navigate] = useLocation()
  const { pending, error, submit } = useSubmit()
  const [replayError, setReplayError] = useState<string | null>(null)
  const open = () =>
    submit(
      () => api('getRequestBodies', { params: { id: record.id } }),
      (bodies) => {
        const replayed = replayRequest(bodies, record)
        if (!replayed.ok) return setReplayError(replayed.message)
        usePlayground.getState().addChat(replayed.chat)
        navigate('/playground')
      },
    )
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">
        <Button icon={MessageSquareShare} pending={pending} onClick={() => void open()}>
          Open in playground
        </Button>
        {isReplayable(record) ? (
          <Button
            icon={Repeat2}
            onClick={() =>
              navigate(
                writeReplayAddress({
                  requests: [record.id],
                  models: [record.model ?? '', ''],
                  keyId: null,
                  filter: {},
                }),
              )
            }
          >
            Replay
          </Button>
        ) : null}
      </div>
      <InlineError error={error ?? replayError} />
    </div>
  )
}

/** Whether prompt and answer are stored, and if not, a link to the setting. */
export function StoredBodies({ record }: { record: RequestRecord }) {
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  if (record.bodiesKept) return 'stored'
  // Decided when the request ends.
  if (record.status === 'running') return '–'
  return (
    <>
      not stored, so this request cannot be replayed.{' '}
      <Link href="/settings" className="text-accent-ink underline">
        {settings && storesBodies(settings, now) ? 'See Settings' : 'Store them'}
      </Link>
    </>
  )
}
