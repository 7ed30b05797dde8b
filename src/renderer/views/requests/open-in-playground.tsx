// Owns taking a recorded request into the playground, and saying why that cannot be done.
import { MessageSquareShare } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/requests.ts'
import { api } from '../../api.ts'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { InlineError } from '../../components/notice.tsx'
import { usePlayground } from '../../playground/playground-store.ts'
import { replay } from '../../playground/replayed-chat.ts'
import { useSettings } from '../../stores/settings.ts'

export function OpenInPlayground({ record }: { record: RequestRecord }) {
  const [, navigate] = useLocation()
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const open = async () => {
    setPending(true)
    setError(null)
    try {
      const replayed = replay(await api('getRequestBodies', { params: { id: record.id } }), record)
      if (!replayed.ok) return setError(replayed.message)
      usePlayground.getState().addChat(replayed.chat)
      navigate('/playground')
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setPending(false)
    }
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button icon={MessageSquareShare} pending={pending} onClick={() => void open()}>
        Open in playground
      </Button>
      <InlineError error={error} />
    </div>
  )
}

/** Whether the request could be replayed, and if not, where that is decided. */
export function Kept({ record }: { record: RequestRecord }) {
  const keeping = useSettings((store) => store.settings?.storeBodies)
  if (record.bodiesKept) return 'kept'
  // Nobody knows yet.
  if (record.status === 'running') return '–'
  return (
    <>
      not kept, so it cannot be replayed.{' '}
      <Link href="/settings" className="text-accent-ink underline">
        {keeping ? 'See Settings' : 'Keep them'}
      </Link>
    </>
  )
}
