import { ChevronLeft, ChevronRight, type LucideIcon, Pencil, RefreshCw, Send } from 'lucide-react'
import { type KeyboardEvent, memo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { Field, TextArea } from '../../kit/field.tsx'
import { formatQuantity } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Answer, Json, type ResultTexts, ToolBox } from '../../parts/answer/answer.tsx'
import type { Exchange, ToolResult, ToolUse } from '../../parts/chats/chat-storage.ts'
import { getAnswer, listBranches, listColumns, listVersions } from '../../parts/chats/chat-tree.ts'
import { currentChat } from '../../parts/chats/playground-state.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { COLUMN_GRID } from './model-columns.tsx'

interface TurnProps {
  exchange: Exchange
  /** The model chosen for each column. */
  models: readonly string[]
  /** It is the last exchange of the path. */
  last: boolean
}

/** Rendered again only when its own exchange changes, not with every token of another one. */
export const Turn = memo(function Turn({ exchange, models, last }: TurnProps) {
  const streaming = usePlayground((store) => store.streaming)
  const { ask, send } = usePlayground.getState()
  const [drafts, setDrafts] = useState<ResultDrafts>(new Map())
  const columns = listColumns(exchange)
  const waiting = last && !streaming && columns.some((column) => listOpenCalls(exchange, column).length > 0)
  const { results, missing } = collectResults(exchange, drafts)
  const sendResults = () => {
    if (missing === 0 && results.length > 0) void send('', [], exchange.id, results)
  }
  return (
    <>
      <div
        className={cn(
          'mx-auto mt-5 flex w-full flex-col first:mt-0',
          columns.length > 1 ? 'max-w-[140rem]' : 'max-w-3xl',
        )}
      >
        <Question exchange={exchange} />
        {columns.length === 0 && !streaming ? (
          <div className="flex items-center gap-3">
            <Button icon={Send} onClick={() => void ask(exchange.id, models)}>
              {exchange.results.length > 0 ? 'Send results' : 'Send question'}
            </Button>
            <span className="text-ink-3 text-sm">No answer yet.</span>
          </div>
        ) : null}
      </div>
      <div className={columns.length > 1 ? COLUMN_GRID : 'mx-auto grid w-full max-w-3xl gap-5'}>
        {columns.map((column) => (
          <Column
            key={column}
            exchange={exchange}
            column={column}
            model={models[column]}
            framed={columns.length > 1}
            results={
              waiting && listOpenCalls(exchange, column).length > 0
                ? {
                    texts: drafts.get(column) ?? new Map(),
                    onChange: (callId, text) => setDrafts(setDraft(drafts, column, callId, text)),
                    onSend: sendResults,
                  }
                : null
            }
          />
        ))}
      </div>
      {waiting ? (
        <div
          className={cn(
            'mx-auto flex w-full items-center gap-3',
            columns.length === 1 ? 'max-w-3xl' : 'max-w-[140rem]',
          )}
        >
          <Button icon={Send} disabled={missing > 0 || results.length === 0} onClick={sendResults}>
            Send results
          </Button>
          {missing > 0 ? (
            <span className="text-ink-3 text-sm">
              {missing === 1 ? '1 result is missing.' : `${missing} results are missing.`}
            </span>
          ) : null}
        </div>
      ) : null}
    </>
  )
})

// Providers require the results of all parallel tool calls of an answer, so they are sent together.

/** The typed results, by column and then by the id of the call. */
export type ResultDrafts = ReadonlyMap<number, ReadonlyMap<string, string>>

export function setDraft(drafts: ResultDrafts, column: number, callId: string, text: string): ResultDrafts {
  return new Map(drafts).set(column, new Map(drafts.get(column)).set(callId, text))
}

/** The tool calls of a column that have no results yet. */
export function listOpenCalls(exchange: Exchange, column: number): readonly ToolUse[] {
  const answer = getAnswer(exchange, column)
  return answer?.state === 'done' ? answer.toolUses : []
}

interface CollectedResults {
  /** The results of the columns in which every call has one. */
  results: ToolResult[]
  /** How many are missing in the columns with at least one result, or in all of them if there is none. */
  missing: number
}

/** Skips columns without any result if there are several. */
export function collectResults(exchange: Exchange, drafts: ResultDrafts): CollectedResults {
  const columns = listColumns(exchange).flatMap((column) => {
    const calls = listOpenCalls(exchange, column)
    if (calls.length === 0) return []
    const results = calls.flatMap(({ id, name }) => {
      const content = drafts.get(column)?.get(id) ?? ''
      return content.trim() === '' ? [] : [{ column, callId: id, name, content }]
    })
    return [{ results, missing: calls.length - results.length }]
  })
  const started = columns.filter(({ results }) => results.length > 0)
  return {
    results: started.flatMap(({ results, missing }) => (missing === 0 ? results : [])),
    missing: (started.length > 0 ? started : columns).reduce((sum, { missing }) => sum + missing, 0),
  }
}

interface ColumnProps {
  exchange: Exchange
  column: number
  /** The model that is chosen for it now. */
  model: string | undefined
  results: ResultTexts | null
  /** Drawn as a card, when there are several side by side. */
  framed: boolean
}

function Column({ exchange, column, model, results, framed }: ColumnProps) {
  const streaming = usePlayground((store) => store.streaming)
  const { regenerate, selectAnswer } = usePlayground.getState()
  const answer = getAnswer(exchange, column)
  if (!answer) return null
  const versions = listVersions(exchange, column)
  const retry = () => void regenerate(exchange.id, column, model)
  return (
    <div className={cn('min-w-0', framed && 'rounded-lg border border-line bg-surface p-4')}>
      <Answer answer={answer} results={results} onRetry={streaming ? null : retry}>
        {/* Below a failure, "Try again" does the same. */}
        {answer.state === 'failed' ? null : (
          <IconButton label="Regenerate" icon={RefreshCw} small disabled={streaming} onClick={retry} />
        )}
        <Pager
          noun="answer"
          ids={versions.map(({ id }) => id)}
          shown={answer.id}
          onShow={(id) => selectAnswer(exchange.id, id)}
        />
      </Answer>
    </div>
  )
}

function Question({ exchange }: { exchange: Exchange }) {
  const streaming = usePlayground((store) => store.streaming)
  const { send, showBranch } = usePlayground.getState()
  const [editing, setEditing] = useState(false)
  const branches = usePlayground(
    useShallow((store) => {
      const chat = currentChat(store)
      return chat ? listBranches(chat, exchange).map(({ id }) => id) : []
    }),
  )
  if (editing) {
    return (
      <EditQuestion
        exchange={exchange}
        onCancel={() => setEditing(false)}
        onSend={(text, results) => {
          setEditing(false)
          void send(text, exchange.images, exchange.parent, results)
        }}
      />
    )
  }
  if (exchange.results.length === 0 && exchange.text === '' && exchange.imageCount === 0) return null
  return (
    <div className="group/question flex max-w-[85%] flex-col items-end self-end">
      {exchange.results.length > 0 ? <Results results={exchange.results} /> : null}
      <Images exchange={exchange} />
      {exchange.text ? (
        <div className="max-w-full whitespace-pre-wrap break-words rounded-xl bg-sunken px-3.5 py-2">
          {exchange.text}
        </div>
      ) : null}
      <div className="flex h-7 items-center text-ink-3 text-sm">
        <IconButton
          label={exchange.results.length > 0 ? 'Edit results' : 'Edit question'}
          icon={Pencil}
          small
          disabled={streaming}
          onClick={() => setEditing(true)}
          className="opacity-0 focus-visible:opacity-100 group-focus-within/question:opacity-100 group-hover/question:opacity-100"
        />
        <Pager noun="branch" ids={branches} shown={exchange.id} disabled={streaming} onShow={showBranch} />
      </div>
    </div>
  )
}

interface PagerProps {
  noun: string
  /** All that can be shown, in their order. */
  ids: readonly string[]
  shown: string
  disabled?: boolean
  onShow: (id: string) => void
}

/** Walks through the versions of a part of the chat; renders nothing for a single one. */
function Pager({ noun, ids, shown, disabled = false, onShow }: PagerProps) {
  if (ids.length <= 1) return null
  const at = ids.indexOf(shown)
  const step = (label: string, icon: LucideIcon, to: number) => {
    const id = ids[to]
    return (
      <IconButton
        label={`${label} ${noun}`}
        icon={icon}
        small
        disabled={disabled || id === undefined}
        onClick={() => id !== undefined && onShow(id)}
      />
    )
  }
  return (
    <>
      {step('Previous', ChevronLeft, at - 1)}
      {`${at + 1} of ${ids.length}`}
      {step('Next', ChevronRight, at + 1)}
    </>
  )
}

function Results({ results }: { results: readonly ToolResult[] }) {
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
function Images({ exchange: { images, imageCount } }: { exchange: Exchange }) {
  const missing = imageCount - images.length
  return (
    <>
      {images.length > 0 ? (
        <div className="mb-1.5 flex max-w-full flex-wrap justify-end gap-1.5">
          {images.map((url) =>
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
  onSend: (text: string, results: ToolResult[]) => void
}

function EditQuestion({ exchange, onCancel, onSend }: EditQuestionProps) {
  const [text, setText] = useState(exchange.text)
  const [results, setResults] = useState(exchange.results)
  const hasQuestion = results.length === 0 || exchange.text !== '' || exchange.images.length > 0
  const isComplete = text.trim() !== '' || exchange.images.length > 0 || !hasQuestion
  const ready = isComplete && results.every(({ content }) => content.trim() !== '')
  const send = () => onSend(text.trim(), results)
  const onKeyDown = (event: KeyboardEvent, needsCtrl: boolean) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
    const sends = needsCtrl ? event.ctrlKey || event.metaKey : !event.shiftKey
    if (event.key !== 'Enter' || !sends || event.nativeEvent.isComposing || !ready) return
    event.preventDefault()
    send()
  }
  return (
    <div className="flex w-[85%] flex-col gap-2 self-end">
      {results.map((result, index) => (
        <Field key={`${result.column} ${result.callId}`} label={`Result of ${result.name}`}>
          {(attributes) => (
            <TextArea
              {...attributes}
              autoFocus={index === 0}
              rows={Math.min(8, result.content.split('\n').length + 1)}
              spellCheck={false}
              value={result.content}
              onChange={({ target }) => setResults(results.with(index, { ...result, content: target.value }))}
              onKeyDown={(event) => onKeyDown(event, true)}
              className="font-mono text-sm"
            />
          )}
        </Field>
      ))}
      {hasQuestion ? (
        <TextArea
          aria-label="Question"
          autoFocus={results.length === 0}
          rows={Math.min(10, text.split('\n').length + 1)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => onKeyDown(event, false)}
        />
      ) : null}
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-ink-3 text-sm">Creates a new branch. Earlier answers are kept.</p>
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
