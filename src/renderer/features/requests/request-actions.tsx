import { useQuery } from '@tanstack/react-query'
import { type LucideIcon, MessageSquareShare, Square } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { Link, useLocation } from 'wouter'
import type { RequestBodies, RequestRecord, StoredChat } from '../../../shared/api/requests.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import {
  type ChatRequest,
  type ContentPart,
  isKnownPart,
  type OtherPart,
} from '../../../shared/formats/chat.ts'
import { api } from '../../data/api.ts'
import { queries } from '../../data/queries.ts'
import { stopRequest } from '../../data/running.ts'
import { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount, formatDuration, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { interruptAnswer, readRecord } from '../../parts/chats/answer-stream.ts'
import {
  type Answer,
  type Chat,
  type Exchange,
  newAnswer,
  newChat,
  newExchange,
  type ToolResult,
  type ToolUse,
} from '../../parts/chats/chat.ts'
import { writeParameters } from '../../parts/chats/parameters.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

async function stop(id: string): Promise<void> {
  const { costUsd } = await stopRequest(id)
  toast.success(costUsd ? `Stopped. ${formatUsd(costUsd)} was charged.` : 'Stopped. Nothing was charged.')
}

/** In a row of the list, in which arrow keys move between rows: the panel of the request has the button for the keyboard. */
export function StopIcon({ id }: { id: string }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label="Stop this request"
      title="Stop this request"
      className="-my-1 inline-flex size-6 items-center justify-center rounded text-ink-3 hover:bg-bad-soft hover:text-bad"
      onClick={(event) => {
        event.stopPropagation()
        void reportFailure(stop(id))
      }}
    >
      <Square size={11} aria-hidden fill="currentColor" />
    </button>
  )
}

interface EndingProps {
  text: string
  /** The label of the button. */
  action: string
  icon?: LucideIcon
  end: () => Promise<void>
}

/** What a request still does, and a button that ends it. */
export function Ending({ text, action, icon, end }: EndingProps) {
  const { pending, error, submit } = useSubmit()
  const onEnd = (button: HTMLElement) => {
    const panel = button.closest<HTMLElement>('[role=dialog]')
    void submit(async () => {
      await end()
      // The button has unmounted and the focus would be lost with it.
      panel?.focus()
    })
  }
  return (
    <div className="flex flex-col gap-2.5 rounded-lg bg-sunken px-3.5 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-48 flex-1 tabular-nums">{text}</p>
        <Button
          small
          {...(icon && { icon })}
          pending={pending}
          onClick={({ currentTarget }) => onEnd(currentTarget)}
        >
          {action}
        </Button>
      </div>
      <InlineError error={error} />
    </div>
  )
}

/** The progress of a running request, and a button that ends it. */
export function RunningNow({ record }: { record: RequestRecord }) {
  const { id, tokensIn, tokensOut, reservedUsd, timings } = record
  const parts = [
    ...(timings.totalMs === null ? [] : [formatDuration(timings.totalMs)]),
    ...(tokensIn + tokensOut === 0
      ? []
      : [`${formatCount(tokensIn)} tokens in, ${formatCount(tokensOut)} out so far`]),
    ...(reservedUsd > 0 ? [`${formatUsd(reservedUsd)} reserved`] : []),
  ]
  const text = parts.join(' · ') || 'Waiting for the provider.'
  return <Ending text={text} action="Stop" icon={Square} end={() => stop(id)} />
}

/** The actions on a stored prompt. */
export function RequestActions({ record }: { record: RequestRecord }) {
  const [, navigate] = useLocation()
  const { pending, error, submit } = useSubmit()
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const open = () =>
    submit(
      () => api('getRequestBodies', { params: { id: record.id } }),
      (bodies) => {
        const read = toChat(bodies, record)
        if (!read.ok) return setUnreadable(read.message)
        usePlayground.getState().addChat(read.chat)
        navigate('/playground')
      },
    )
  return (
    <div className="flex flex-col items-start gap-2">
      <Button icon={MessageSquareShare} pending={pending} onClick={() => void open()}>
        Open in playground
      </Button>
      <InlineError error={error ?? unreadable} />
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
      not stored, so the playground cannot open this request.{' '}
      <Link href="/settings" className="text-accent-ink underline">
        {settings && storesBodies(settings, now) ? 'See Settings' : 'Store them'}
      </Link>
    </>
  )
}

type ChatResult = { ok: true; chat: Chat } | { ok: false; message: string }

/** Turns a recorded request into a chat, with a note if parts of it cannot be shown. */
export function toChat({ chat }: RequestBodies, record: RequestRecord): ChatResult {
  if (chat === null) {
    return { ok: false, message: 'The recorded request is not a chat request that can be shown here.' }
  }
  const { model, messages, n } = chat.request
  const { system, exchanges, complete } = replayMessages(messages, model)
  const notes = chat.complete && complete ? [] : ['Parts of it that a chat cannot show were left out.']
  const answer = readAnswer(chat.answers, record)
  const last = exchanges.at(-1)
  if (answer) last?.answers.push(answer)
  if (answer && (n ?? 1) > 1) notes.push(`Only the first of its ${n} answers is shown.`)
  return {
    ok: true,
    chat: {
      ...newChat({ models: [model], ...writeParameters(chat.request), system }),
      replayOf: { requestId: record.id, notes },
      exchanges,
      tip: last?.id ?? null,
    },
  }
}

/** The recorded answer; null when it has neither text nor tool calls, so that the question can be sent again. */
function readAnswer([message]: StoredChat['answers'], record: RequestRecord): Answer | null {
  const text = message?.content ?? ''
  const reasoning = message?.reasoning_content
  const toolUses = (message?.tool_calls ?? []).flatMap(readToolUses)
  if (text === '' && toolUses.length === 0) return null
  const answer = { ...newAnswer(0, ''), text, toolUses, ...(typeof reasoning === 'string' && { reasoning }) }
  return {
    ...answer,
    ...describeEnd(answer, record),
    ...readRecord(record),
    requestId: record.id,
    model: record.model ?? record.requestedModel,
  }
}

function describeEnd(answer: Answer, { status, error }: RequestRecord): Partial<Answer> {
  if (status === 'succeeded') return { state: 'done' }
  if (status === 'canceled' || error === null) return { state: 'stopped' }
  return interruptAnswer(answer, new ApiError({ status: 200, ...error }), false, 0)
}

interface ReplayedMessages {
  system: string
  /** The last one has no answer yet. */
  exchanges: Exchange[]
  /** Whether every part of the messages is in them. */
  complete: boolean
}

type Message = ChatRequest['messages'][number]

/** The messages since the last answer. */
interface Question {
  texts: string[]
  images: string[]
  results: ToolResult[]
}

function replayMessages(messages: readonly Message[], model: string): ReplayedMessages {
  const system: string[] = []
  const exchanges: Exchange[] = []
  let complete = true
  let question: Question = { texts: [], images: [], results: [] }

  const read = (content: Content): string => {
    if (typeof content !== 'string' && !content.every(isShown)) complete = false
    return readText(content)
  }
  const close = (): Exchange => {
    const { texts, images, results } = question
    const parent = exchanges.at(-1)?.id ?? null
    const exchange = newExchange(parent, { text: texts.join('\n\n'), images, results })
    exchanges.push(exchange)
    question = { texts: [], images: [], results: [] }
    return exchange
  }
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(read(message.content))
        break
      case 'user': {
        const text = read(message.content)
        if (text !== '') question.texts.push(text)
        question.images.push(...readImages(message.content))
        break
      }
      case 'assistant': {
        const exchange = close()
        const text = read(message.content ?? '')
        const calls = message.tool_calls ?? []
        const toolUses = calls.flatMap(readToolUses)
        if (toolUses.length < calls.length) complete = false
        exchange.answers.push({ ...newAnswer(0, model), state: 'done', text, toolUses })
        break
      }
      case 'tool': {
        const uses = exchanges.at(-1)?.answers.at(-1)?.toolUses ?? []
        const use = uses.find(({ id }) => id === message.tool_call_id)
        const content = read(message.content)
        if (use) question.results.push({ column: 0, callId: use.id, name: use.name, content })
        else complete = false
        break
      }
      case 'function':
        complete = false
        break
      default:
        message satisfies never
    }
  }
  close()
  return { system: system.join('\n\n'), exchanges, complete }
}

type Content = string | readonly (ContentPart | OtherPart)[]

function isShown(part: ContentPart | OtherPart): boolean {
  return isKnownPart(part) && (part.type === 'text' || part.type === 'image_url')
}

function readText(content: Content): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (isKnownPart(part) && part.type === 'text' ? part.text : [])).join('\n\n')
}

function readImages(content: Content): string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => (isKnownPart(part) && part.type === 'image_url' ? part.image_url.url : []))
}

type Call = NonNullable<Extract<Message, { role: 'assistant' }>['tool_calls']>[number]

function readToolUses({ id, function: called }: Call): ToolUse[] {
  return called ? [{ id, name: called.name, arguments: called.arguments }] : []
}
