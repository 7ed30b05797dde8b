// Owns the answer to the first question, drawn by the playground's own reader, which loads when it is needed.
import { lazy, Suspense } from 'react'
import { usePlayground } from '../../playground/playground-store.ts'

const Answer = lazy(() => import('../playground/answer.tsx').then((module) => ({ default: module.Answer })))

export function QuickAnswer({ chatId }: { chatId: string }) {
  const answer = usePlayground(({ chats }) =>
    chats.find(({ id }) => id === chatId)?.exchanges[0]?.answers.at(-1),
  )
  return (
    <Suspense fallback={<p className="text-ink-3">Waiting for the first token…</p>}>
      {answer ? <Answer answer={answer} /> : null}
    </Suspense>
  )
}
