import { Bot, CornerDownRight, type LucideIcon, ScrollText, User } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatCount } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { readTranscript } from '../../parts/transcript/read-transcript.ts'
import type { TranscriptMessage, TranscriptPart, TranscriptRole } from '../../parts/transcript/transcript.ts'
import { Part } from './message-part.tsx'

interface ConversationProps {
  record: RequestRecord
  bodies: RequestBodies
}

/** The request and its answer, as messages. */
export function Conversation({ record, bodies }: ConversationProps) {
  const transcript = useMemo(() => readTranscript(bodies, record.endpoint), [bodies, record.endpoint])
  if (transcript === null) {
    return (
      <p className="px-5 py-10 text-center text-ink-2">
        This request has no messages that can be shown. The other tabs have its raw contents.
      </p>
    )
  }
  const { messages, answers, tools, error } = transcript
  return (
    <div className="flex flex-col gap-3 p-5">
      {tools.length > 0 ? <Tools names={tools} /> : null}
      <Prompt messages={messages} />
      <h3 className="mt-2 font-medium text-ink-3 text-xs">{answers.length > 1 ? 'Answers' : 'Answer'}</h3>
      {answers.map((answer, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers have no identity other than their position
        <Message key={index} message={answer} />
      ))}
      {error ? <InlineError error={error} /> : null}
      {answers.length === 0 && error === null ? <NoAnswer record={record} /> : null}
    </div>
  )
}

function NoAnswer({ record }: { record: RequestRecord }) {
  return (
    <p className="text-ink-2">
      {record.status === 'canceled'
        ? 'The client canceled the request before there was an answer.'
        : 'There is no text in this answer.'}
    </p>
  )
}

/** How many messages at the end of a long prompt are shown at first: each may have Markdown and code. */
const LAST_SHOWN = 12

function Prompt({ messages }: { messages: readonly TranscriptMessage[] }) {
  const [all, setAll] = useState(false)
  const system = messages.findIndex(({ role }) => role !== 'system')
  const head = system < 0 ? messages : messages.slice(0, system)
  const rest = messages.slice(head.length)
  const hidden = all ? 0 : Math.max(0, rest.length - LAST_SHOWN)
  return (
    <>
      {head.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity other than their position
        <Message key={index} message={message} />
      ))}
      {hidden > 0 ? (
        <Button small className="self-center" onClick={() => setAll(true)}>
          Show {formatCount(hidden)} earlier {hidden === 1 ? 'message' : 'messages'}
        </Button>
      ) : null}
      {rest.slice(hidden).map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity other than their position
        <Message key={head.length + hidden + index} message={message} />
      ))}
    </>
  )
}

function Tools({ names }: { names: readonly string[] }) {
  return (
    <details className="rounded-lg border border-line bg-canvas px-3 py-2 text-sm">
      <summary className="select-none rounded-sm font-medium text-ink-2">
        {names.length === 1 ? '1 tool' : `${formatCount(names.length)} tools`} the model could call
      </summary>
      <p className="mt-1.5 break-words font-mono text-ink-2">{names.join(', ')}</p>
    </details>
  )
}

const roles: Record<TranscriptRole, { name: string; icon: LucideIcon }> = {
  system: { name: 'System', icon: ScrollText },
  user: { name: 'User', icon: User },
  assistant: { name: 'Assistant', icon: Bot },
  tool: { name: 'Tool result', icon: CornerDownRight },
}

const Message = memo(function Message({ message: { role, parts } }: { message: TranscriptMessage }) {
  const { name, icon: Icon } = roles[role]
  const text = parts.flatMap(readText).join('\n\n')
  return (
    <article
      aria-label={name}
      className={cn(
        'group min-w-0 rounded-lg border border-line px-3.5 pt-1.5 pb-3',
        role === 'assistant' ? 'bg-surface' : 'bg-canvas',
      )}
    >
      <header className="mb-1 flex h-7 items-center gap-1.5 font-medium text-ink-2 text-sm">
        <Icon size={13} aria-hidden className="shrink-0 text-ink-3" />
        {name}
        {text === '' ? null : (
          <span className="-mr-2 ml-auto">
            <CopyIconButton text={text} label="Copy message" />
          </span>
        )}
      </header>
      <div className="flex flex-col gap-2.5">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity other than their position
          <Part key={index} part={part} role={role} />
        ))}
      </div>
    </article>
  )
})

function readText(part: TranscriptPart): string[] {
  if (part.type === 'text' || part.type === 'result') return [part.text]
  return part.type === 'call' ? [part.input] : []
}
