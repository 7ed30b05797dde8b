import { Bot, CornerDownRight, Image, type LucideIcon, Paperclip, ScrollText, User } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatBytes, formatCount, formatQuantity } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { markdown, ToolBox } from '../../parts/answer/answer.tsx'
import {
  readTranscript,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptRole,
} from './transcript.ts'

interface ConversationProps {
  record: RequestRecord
  bodies: RequestBodies
}

/** The request and its answer, as messages. */
export function Conversation({ record, bodies }: ConversationProps) {
  const transcript = useMemo(() => readTranscript(bodies), [bodies])
  if (transcript === null) {
    return (
      <p className="px-5 py-10 text-center text-ink-2">
        This request has no messages that can be shown. The other tabs have its raw contents.
      </p>
    )
  }
  const { messages, answers, tools, error, complete } = transcript
  return (
    <div className="flex flex-col gap-3 p-5">
      {tools.length > 0 ? <Tools names={tools} /> : null}
      <Prompt messages={messages} />
      {complete ? null : (
        <p className="text-ink-2 text-sm">The raw request has parts that cannot be shown as messages.</p>
      )}
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
          {`Show ${formatCount(hidden)} earlier ${hidden === 1 ? 'message' : 'messages'}`}
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
        {`${formatQuantity(names.length, 'tool')} the model could call`}
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

/** Longer texts are cut until the user asks for all. A system prompt is rarely what is looked for. */
const FOLD_CHARS = 3_000
const FOLD_SYSTEM_CHARS = 500
/** Longer texts are not parsed as Markdown, which would take seconds. */
const MARKDOWN_CHARS = 40_000

function Part({ part, role }: { part: TranscriptPart; role: TranscriptRole }) {
  switch (part.type) {
    case 'text':
      return role === 'assistant' && part.text.length <= MARKDOWN_CHARS ? (
        <markdown.View text={part.text} streaming={false} />
      ) : (
        <LongText text={part.text} foldChars={role === 'system' ? FOLD_SYSTEM_CHARS : FOLD_CHARS} />
      )
    case 'reasoning':
      return <Reasoning text={part.text} />
    case 'call':
      return (
        <ToolBox name={part.name} id={part.id} background="bg-raised">
          <div className="px-3 py-2">
            <LongText text={part.input} code />
          </div>
        </ToolBox>
      )
    case 'result':
      return (
        <ToolBox name={part.name} id={part.id} failed={part.failed} background="bg-raised">
          <div className="px-3 py-2">
            {part.text === '' ? (
              <p className="text-ink-3 text-sm">Empty</p>
            ) : (
              <LongText text={part.text} code />
            )}
          </div>
        </ToolBox>
      )
    case 'image':
      return <Picture source={part.source} />
    case 'other':
      return (
        <p className="flex items-center gap-2 text-ink-2 text-sm">
          <Paperclip size={13} aria-hidden className="shrink-0 text-ink-3" />
          <span className="font-mono">{part.name}</span>
          <span className="truncate">{part.detail}</span>
        </p>
      )
    default:
      return part satisfies never
  }
}

interface LongTextProps {
  text: string
  code?: boolean
  foldChars?: number
}

function LongText({ text, code = false, foldChars = FOLD_CHARS }: LongTextProps) {
  const [all, setAll] = useState(false)
  const folded = !all && text.length > foldChars
  return (
    <div className={code ? 'font-mono text-sm' : ''}>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {folded ? `${text.slice(0, foldChars).toWellFormed()}…` : text}
      </p>
      {folded ? (
        <Button
          small
          className="mt-2 font-sans"
          onClick={() => setAll(true)}
        >{`Show all ${formatCount(text.length)} characters`}</Button>
      ) : null}
    </div>
  )
}

function Reasoning({ text }: { text: string }) {
  if (text === '') {
    return <p className="text-ink-3 text-sm">Reasoning, which the provider returned encrypted</p>
  }
  return (
    <details className="rounded-md bg-sunken px-3 py-1.5 text-ink-2">
      <summary className="select-none rounded-sm font-medium text-sm">Reasoning</summary>
      <div className="mt-1.5 text-sm">
        <LongText text={text} />
      </div>
    </details>
  )
}

/** Only pictures that the request itself has are shown: the window fetches nothing. */
function Picture({ source }: { source: string }) {
  if (!source.startsWith('data:image/')) {
    return (
      <p className="flex items-start gap-2 text-ink-2 text-sm">
        <Image size={13} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
        <span className="break-all">{source}</span>
      </p>
    )
  }
  // Four characters of base64 are three bytes.
  const bytes = (source.length - source.indexOf(',') - 1) * 0.75
  return (
    <figure>
      <img
        src={source}
        alt="In this message"
        className="max-h-48 max-w-full rounded-md border border-line object-contain"
      />
      <figcaption className="mt-1 text-ink-3 text-xs">
        {source.slice('data:'.length, source.indexOf(';'))}, {formatBytes(bytes)}
      </figcaption>
    </figure>
  )
}
