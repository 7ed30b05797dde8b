import { Link } from 'wouter'
import type { Chat } from '../../parts/chats/chat-storage.ts'

export function ReplayNotice({
  replayOf: { requestId, notes },
}: {
  replayOf: NonNullable<Chat['replayOf']>
}) {
  return (
    <aside className="mx-auto mb-3 w-full max-w-3xl rounded-lg border border-line bg-canvas px-3.5 py-2 text-ink-2 text-sm">
      <p>
        From a recorded request.{' '}
        <Link href={`/requests/${requestId}`} className="text-accent-ink underline">
          View request
        </Link>
      </p>
      {notes.length > 0 ? (
        <ul className="mt-1 list-disc pl-4">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
    </aside>
  )
}
