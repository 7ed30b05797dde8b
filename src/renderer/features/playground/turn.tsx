import { ChevronLeft, ChevronRight, type LucideIcon, Pencil, Send } from 'lucide-react'
import { type KeyboardEvent, memo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { Field, TextArea } from '../../kit/field.tsx'
import { formatQuantity } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Answer, Json, ToolBox } from '../../parts/answer/answer.tsx'
import { type Exchange, listOpenCalls, listVersions, type ToolResult } from '../../parts/chats/chat.ts'
import { currentChat, usePlayground } from '../../parts/chats/playground-store.ts'
import { COLUMN_GRID } from './model-columns.tsx'

interface TurnProps {
  exchange: Exchange
  /** It is the last exchange that is shown. */
  last: boolean
}

/** A question and its answers. Rendered again only when its own exchange changes, not with every token of another one. */
export const Turn = memo(function Turn({ exchange, last }: TurnProps) {
  const streaming = usePlayground((store) => store.streaming)
  const { ask, regenerate } = usePlayground.getState()
  const { id, answers, results } = exchange
  const several = answers.length > 1
  const width = cn('mx-auto w-full', several ? 'max-w-[140rem]' : 'max-w-3xl')
  const waits = last && !streaming && answers.some((answer) => listOpenCalls(answer).length > 0)
  return (
    <>
      <div className={cn('mt-5 flex flex-col first:mt-0', width)}>
        <Question exchange={exchange} />
        {answers.length === 0 && !streaming ? (
          <div className="flex items-center gap-3">
            <Button icon={Send} onClick={() => void ask(id)}>
              {results.length > 0 ? 'Send results' : 'Send question'}
            </Button>
            <span className="text-ink-3 text-sm">No answer yet.</span>
          </div>
        ) : null}
      </div>
      <div className={several ? COLUMN_GRID : cn('grid gap-5', width)}>
        {answers.map((answer) => (
          <div
            key={answer.column}
            className={cn('min-w-0', several && 'rounded-lg border border-line bg-surface p-4')}
          >
            <Answer answer={answer} onRetry={streaming ? null : () => void regenerate(id, answer.column)} />
          </div>
        ))}
      </div>
      {waits ? <ResultForm exchange={exchange} className={width} /> : null}
    </>
  )
})

/** Tools are never run: the user types their results. Providers require those of all calls of an answer. */
function ResultForm({ exchange, className }: { exchange: Exchange; className: string }) {
  const calls = exchange.answers.flatMap((answer) => listOpenCalls(answer).map((use) => ({ ...use, answer })))
  const [texts, setTexts] = useState(() => calls.map(() => ''))
  const missing = texts.filter((text) => text.trim() === '').length
  const send = () => {
    const results = calls.map(({ id, name, answer }, index) => ({
      column: answer.column,
      callId: id,
      name,
      content: texts[index] ?? '',
    }))
    if (missing === 0) void usePlayground.getState().send({ results })
  }
  return (
    <div className={cn('flex flex-col items-start gap-3', className)}>
      {calls.map(({ id, name, answer }, index) => (
        <Field
          key={`${answer.column} ${id}`}
          label={exchange.answers.length > 1 ? `Result of ${name} for ${answer.model}` : `Result of ${name}`}
          className="w-full"
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={2}
              spellCheck={false}
              value={texts[index]}
              placeholder="JSON or text"
              onChange={({ target }) => setTexts(texts.with(index, target.value))}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
              }}
              className="font-mono text-sm"
            />
          )}
        </Field>
      ))}
      <Button icon={Send} disabled={missing > 0} onClick={send}>
        Send results
      </Button>
    </div>
  )
}

function Question({ exchange }: { exchange: Exchange }) {
  const streaming = usePlayground((store) => store.streaming)
  const { send } = usePlayground.getState()
  const [editing, setEditing] = useState(false)
  const { text, images, results, parent } = exchange
  if (editing) {
    return (
      <EditQuestion
        exchange={exchange}
        onCancel={() => setEditing(false)}
        onSend={(edited) => {
          setEditing(false)
          void send({ text: edited, images, results }, parent)
        }}
      />
    )
  }
  if (results.length === 0 && text === '' && images.length === 0) return null
  return (
    <div className="group/question flex max-w-[85%] flex-col items-end self-end">
      <Results results={results} />
      <Images images={images} />
      {text ? (
        <div className="max-w-full whitespace-pre-wrap break-words rounded-xl bg-sunken px-3.5 py-2">
          {text}
        </div>
      ) : null}
      <div className="flex h-7 items-center text-ink-3 text-sm">
        {text ? (
          <IconButton
            label="Edit question"
            icon={Pencil}
            small
            disabled={streaming}
            onClick={() => setEditing(true)}
            className="opacity-0 focus-visible:opacity-100 group-focus-within/question:opacity-100 group-hover/question:opacity-100"
          />
        ) : null}
        <VersionPager exchange={exchange} disabled={streaming} />
      </div>
    </div>
  )
}

/** Walks through the versions of a question and its answers. */
function VersionPager({ exchange, disabled }: { exchange: Exchange; disabled: boolean }) {
  const { showVersion } = usePlayground.getState()
  const ids = usePlayground(
    useShallow((store) => {
      const chat = currentChat(store)
      return chat ? listVersions(chat, exchange).map(({ id }) => id) : []
    }),
  )
  if (ids.length <= 1) return null
  const at = ids.indexOf(exchange.id)
  const step = (label: string, icon: LucideIcon, id: string | undefined) => (
    <IconButton
      label={label}
      icon={icon}
      small
      disabled={disabled || id === undefined}
      onClick={() => id !== undefined && showVersion(id)}
    />
  )
  return (
    <>
      {step('Previous version', ChevronLeft, ids[at - 1])}
      {`${at + 1} of ${ids.length}`}
      {step('Next version', ChevronRight, ids[at + 1])}
    </>
  )
}

function Results({ results }: { results: readonly ToolResult[] }) {
  if (results.length === 0) return null
  return (
    <ul aria-label="Tool results" className="mb-1.5 flex max-w-full flex-col gap-1.5">
      {results.map((result) => (
        <li key={`${result.column} ${result.callId}`}>
          <ToolBox name={result.name} id={result.callId} background="bg-sunken">
            <Json text={result.content} className="max-h-48" />
          </ToolBox>
        </li>
      ))}
    </ul>
  )
}

/** An image that a recorded request refers to by URL is not fetched; only its URL is shown. */
function Images({ images }: { images: readonly string[] }) {
  const kept = images.filter((url) => url !== '')
  const missing = images.length - kept.length
  return (
    <>
      {kept.length > 0 ? (
        <div className="mb-1.5 flex max-w-full flex-wrap justify-end gap-1.5">
          {kept.map((url) =>
            url.startsWith('data:') ? (
              <img
                key={url.slice(-64)}
                src={url}
                alt="Part of the question"
                className="max-h-48 rounded-lg border border-line"
              />
            ) : (
              <span
                key={url}
                className="max-w-full truncate rounded-lg border border-line px-2 py-1 text-ink-2 text-sm"
              >
                {`Image at ${url}`}
              </span>
            ),
          )}
        </div>
      ) : null}
      {missing > 0 ? (
        <p className="mb-1 text-ink-3 text-sm">
          {`${formatQuantity(missing, 'image')}, not stored after the window was closed`}
        </p>
      ) : null}
    </>
  )
}

interface EditQuestionProps {
  exchange: Exchange
  onCancel: () => void
  onSend: (text: string) => void
}

function EditQuestion({ exchange, onCancel, onSend }: EditQuestionProps) {
  const [text, setText] = useState(exchange.text)
  const ready = text.trim() !== ''
  const send = () => onSend(text.trim())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || !ready) return
    event.preventDefault()
    send()
  }
  return (
    <div className="flex w-[85%] flex-col gap-2 self-end">
      <TextArea
        aria-label="Question"
        autoFocus
        rows={Math.min(10, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-ink-3 text-sm">Earlier answers are kept as another version.</p>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
        <Button small variant="primary" disabled={!ready} onClick={send}>
          Ask again
        </Button>
      </div>
    </div>
  )
}
