// Owns one question: its text and images, its branches, and asking it otherwise.
import { ChevronLeft, ChevronRight, Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { branchesOf } from '../../stores/chat-tree.ts'
import type { Chat, Exchange } from '../../stores/chats-kept.ts'
import { usePlayground } from '../../stores/playground.ts'

export function Question({ chat, exchange }: { chat: Chat; exchange: Exchange }) {
  const { streaming, send, showBranch } = usePlayground()
  const [editing, setEditing] = useState(false)
  const branches = branchesOf(chat, exchange)
  const at = branches.indexOf(exchange)
  if (editing) {
    return (
      <EditQuestion
        exchange={exchange}
        onCancel={() => setEditing(false)}
        onAsk={(text) => {
          setEditing(false)
          void send(text, exchange.images, exchange.parent)
        }}
      />
    )
  }
  const lost = exchange.imageCount - exchange.images.length
  const show = (index: number) => {
    const branch = branches[index]
    if (branch) showBranch(branch.id)
  }
  return (
    <div className="group/question flex max-w-[85%] flex-col items-end self-end">
      {exchange.images.length > 0 ? (
        <div className="mb-1.5 flex flex-wrap justify-end gap-1.5">
          {exchange.images.map((url) => (
            <img
              key={url.slice(-64)}
              src={url}
              alt="Part of the question"
              className="max-h-48 rounded-lg border border-line"
            />
          ))}
        </div>
      ) : null}
      {lost > 0 ? (
        <p className="mb-1 text-ink-3 text-sm">
          {lost === 1 ? '1 image' : `${lost} images`}, not kept after the window was closed
        </p>
      ) : null}
      {exchange.text ? (
        <div className="whitespace-pre-wrap break-words rounded-xl bg-sunken px-3.5 py-2">
          {exchange.text}
        </div>
      ) : null}
      <div className="flex h-7 items-center text-ink-3 text-sm">
        <IconButton
          label="Edit question"
          icon={Pencil}
          small
          disabled={streaming}
          onClick={() => setEditing(true)}
          className="opacity-0 focus-visible:opacity-100 group-focus-within/question:opacity-100 group-hover/question:opacity-100"
        />
        {branches.length > 1 ? (
          <>
            <IconButton
              label="Earlier branch"
              icon={ChevronLeft}
              small
              disabled={streaming || at === 0}
              onClick={() => show(at - 1)}
            />
            {at + 1} of {branches.length}
            <IconButton
              label="Later branch"
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

interface EditQuestionProps {
  exchange: Exchange
  onCancel: () => void
  onAsk: (text: string) => void
}

function EditQuestion({ exchange, onCancel, onAsk }: EditQuestionProps) {
  const [text, setText] = useState(exchange.text)
  const ready = text.trim() !== '' || exchange.images.length > 0
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && ready) {
      event.preventDefault()
      onAsk(text.trim())
    }
  }
  return (
    <div className="flex w-[85%] flex-col gap-2 self-end">
      <TextArea
        aria-label="Question"
        autoFocus
        rows={Math.min(10, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-ink-3 text-sm">This makes a branch; the answers so far stay.</p>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
        <Button small variant="primary" disabled={!ready} onClick={() => onAsk(text.trim())}>
          Ask again
        </Button>
      </div>
    </div>
  )
}
