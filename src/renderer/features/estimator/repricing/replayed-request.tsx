import { Link } from 'wouter'
import type { RequestRecord } from '../../../../shared/api/requests.ts'
import { getRequestName } from '../../../data/request-name.ts'
import { Money } from '../../../kit/money.tsx'
import { Card } from '../../../kit/page.tsx'
import { Answer } from '../../../parts/answer/answer.tsx'
import type { Answer as AnswerRecord } from '../../../parts/chats/chat-storage.ts'
import { compareAnswers } from '../../../parts/chats/compare-answers.ts'
import { usePromptWords } from './prompt-words.ts'

interface ReplayedRequestProps {
  record: RequestRecord
  answers: readonly AnswerRecord[]
}

/** A request with its answers side by side. */
export function ReplayedRequest({ record, answers }: ReplayedRequestProps) {
  const verdict = compareAnswers(answers)
  return (
    <Card>
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-line border-b px-4 py-2.5">
        <Prompt record={record} />
        <span className="text-ink-3 text-sm">
          <Link href={`/requests/${record.id}`} className="hover:text-ink hover:underline">
            {getRequestName(record)}
          </Link>
          {record.costUsd === null ? null : (
            <>
              {', '}
              <Money usd={record.costUsd} /> then
            </>
          )}
        </span>
      </header>
      <div className="grid divide-line max-md:divide-y md:grid-cols-2 md:divide-x">
        {answers.map((answer) => (
          <section key={answer.id} aria-label={answer.model ?? undefined} className="min-w-0 p-4">
            <h3 className="mb-2 truncate font-medium font-mono text-sm">{answer.model}</h3>
            <Answer answer={answer} />
          </section>
        ))}
      </div>
      {verdict ? (
        <p role="status" className="border-line border-t px-4 py-2.5 font-medium text-sm">
          {verdict}
        </p>
      ) : null}
    </Card>
  )
}

function Prompt({ record }: { record: RequestRecord }) {
  const text = usePromptWords(record)
  return (
    <p className="line-clamp-2 min-w-0 flex-1 basis-80 break-words font-medium" title={text}>
      {text || 'Stored request'}
    </p>
  )
}
