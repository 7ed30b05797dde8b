import { ChevronLeft, ChevronRight, Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { Button } from '../../kit/button.tsx'
import { Field, TextArea } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { formatJson, ToolHeader } from '../../parts/answer/tool-uses.tsx'
import type { Exchange, ToolResult } from '../../parts/chats/chat-storage.ts'
import { listBranches } from '../../parts/chats/chat-tree.ts'
import { currentChat } from '../../parts/chats/playground-state.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

export function Question({ exchange }: { exchange: Exchange }) {
  const streaming = usePlayground((store) => store.streaming)
  const { send, showBranch } = usePlayground.getState()
  const [editing, setEditing] = useState(false)
  const branches = usePlayground(
    useShallow((store) => {
      const chat = currentChat(store)
      return chat ? listBranches(chat, exchange).map(({ id }) => id) : []
    }),
  )
  const at = branches.indexOf(exchange.id)
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
  const show = (index: number) => {
    const branch = branches[index]
    if (branch) showBranch(branch)
  }
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
        {branches.length > 1 ? (
          <>
            <IconButton
              label="Previous branch"
              icon={ChevronLeft}
              small
              disabled={streaming || at === 0}
              onClick={() => show(at - 1)}
            />
            {at + 1} of {branches.length}
            <IconButton
              label="Next branch"
              icon={ChevronRight}
              small
              disabled={streaming || at === branches.length - 1}
              onClick={() => show(at + 1)}
            />
          </>
        ) : null}
      </div>
    </div>
  )
}

function Results({ results }: { results: readonly ToolResult[] }) {
  return (
    <ul aria-label="Tool results" className="mb-1.5 flex max-w-full flex-col gap-1.5">
      {results.map((result) => (
        <li
          key={`${result.column} ${result.callId}`}
          className="overflow-hidden rounded-lg border border-line bg-sunken"
        >
          <ToolHeader name={result.name} id={result.callId} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
          <pre tabIndex={0} className="max-h-48 overflow-auto px-3 py-2 font-mono text-sm -outline-offset-2">
            {formatJson(result.content)}
          </pre>
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
                Image at {url}
              </span>
            ),
          )}
        </div>
      ) : null}
      {missing > 0 ? (
        <p className="mb-1 text-ink-3 text-sm">
          {missing === 1 ? '1 image' : `${missing} images`}, not stored after the window was closed
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
