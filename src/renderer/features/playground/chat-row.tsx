import { Braces, Ellipsis, FileText, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { toast } from 'sonner'
import { cn } from '../../kit/cn.ts'
import { download } from '../../kit/download.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Menu } from '../../kit/menu.tsx'
import { chatFileName, chatToJson, chatToMarkdown } from '../../parts/chats/chat-export.ts'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { getTitle } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

const UNDO_MS = 8_000

/** Deletes a chat, with a message that can undo it. */
export function deleteChat(id: string): void {
  const putBack = usePlayground.getState().removeChat(id)
  toast('Chat deleted.', { duration: UNDO_MS, action: { label: 'Undo', onClick: putBack } })
}

interface ChatRowProps {
  chat: Chat
  current: boolean
  /** It is the row that Tab reaches. */
  inTabOrder: boolean
  onFocus: () => void
  onOpened: () => void
}

export function ChatRow({ chat, current, inTabOrder, onFocus, onOpened }: ChatRowProps) {
  const { openChat, changeChat } = usePlayground.getState()
  const [renaming, setRenaming] = useState(false)
  const row = useRef<HTMLButtonElement>(null)
  const title = getTitle(chat)
  const finish = (name: string | null) => {
    if (name !== null) changeChat(chat.id, { title: name.trim() || null })
    setRenaming(false)
    requestAnimationFrame(() => row.current?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'F2') setRenaming(true)
    else if (event.key === 'Delete') {
      if (row.current) focusNeighbor(row.current)
      deleteChat(chat.id)
    } else return
    event.preventDefault()
  }
  if (renaming) return <RenameField title={title} onFinish={finish} />
  return (
    <li
      className={cn(
        'group/chat flex items-center rounded-md pr-0.5',
        current ? 'bg-accent-soft' : 'focus-within:bg-sunken hover:bg-sunken',
      )}
    >
      <button
        ref={row}
        type="button"
        data-chat={chat.id}
        aria-current={current || undefined}
        tabIndex={inTabOrder ? 0 : -1}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onClick={() => {
          if (!current) openChat(chat.id)
          onOpened()
        }}
        className="min-w-0 flex-1 rounded-md px-2 py-1.5 text-left"
        title={title}
      >
        <span className={cn('block truncate', current && 'font-medium')}>{title}</span>
      </button>
      <span
        className={cn(
          'shrink-0 group-focus-within/chat:opacity-100 group-hover/chat:opacity-100 has-data-[state=open]:opacity-100',
          current ? '' : 'opacity-0',
        )}
      >
        <Menu
          label={`Options for ${title}`}
          trigger={
            <IconButton label={`Options for ${title}`} icon={Ellipsis} small tabIndex={inTabOrder ? 0 : -1} />
          }
          items={[
            { label: 'Rename', icon: Pencil, onSelect: () => setRenaming(true) },
            {
              label: chat.pinned ? 'Unpin' : 'Pin',
              icon: chat.pinned ? PinOff : Pin,
              onSelect: () => changeChat(chat.id, { pinned: !chat.pinned }),
            },
            'separator',
            ...exportItems(chat.id),
            'separator',
            { label: 'Delete', icon: Trash2, danger: true, onSelect: () => deleteChat(chat.id) },
          ]}
        />
      </span>
    </li>
  )
}

/** Menu items that save a chat as a file. */
export function exportItems(id: string) {
  const save = (write: (chat: Chat) => string, extension: string, type: string) => {
    const chat = usePlayground.getState().chats.find((one) => one.id === id)
    if (chat) download(new Blob([write(chat)], { type }), chatFileName(chat, extension))
  }
  return [
    {
      label: 'Export as Markdown',
      icon: FileText,
      onSelect: () => save(chatToMarkdown, 'md', 'text/markdown'),
    },
    {
      label: 'Export as JSON',
      icon: Braces,
      onSelect: () => save(chatToJson, 'json', 'application/json'),
    },
  ]
}

function RenameField({ title, onFinish }: { title: string; onFinish: (name: string | null) => void }) {
  const [name, setName] = useState(title)
  return (
    <li className="px-1 py-0.5">
      <input
        aria-label="Name of the chat"
        data-escape
        // biome-ignore lint/a11y/noAutofocus: the user asked to type here
        autoFocus
        value={name}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => onFinish(name)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFinish(name)
          if (event.key !== 'Escape') return
          // It neither closes the panel nor stops an answer.
          event.preventDefault()
          event.stopPropagation()
          onFinish(null)
        }}
        className="h-7 w-full rounded-md border border-line-strong bg-surface px-1.5"
      />
    </li>
  )
}

/** The row above or below takes the focus of one that disappears. */
function focusNeighbor(row: HTMLElement): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-chat]')]
  const at = rows.indexOf(row)
  ;(rows[at + 1] ?? rows[at - 1])?.focus()
}
