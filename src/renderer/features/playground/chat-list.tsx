import { Ellipsis, FileText, Pencil, Pin, PinOff, Search, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { toast } from 'sonner'
import { useShallow } from 'zustand/react/shallow'
import { useTimeZone } from '../../data/hooks.ts'
import { cn } from '../../kit/cn.ts'
import { download } from '../../kit/download.ts'
import { formatDay, getDay } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Menu, type MenuItems, SecondaryMenu } from '../../kit/menu.tsx'
import { moveFocus } from '../../kit/row-focus.ts'
import { useNow } from '../../kit/use-now.ts'
import type { Chat, Exchange } from '../../parts/chats/chat-storage.ts'
import { findPath, getAnswer, getTitle, listColumns } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

const DAY_MS = 86_400_000

interface ChatListProps {
  /** A chat was opened. */
  onOpened: () => void
}

/** All chats: search, open, rename, pin, export and delete. Arrow keys move through the list. */
export function ChatList({ onOpened }: ChatListProps) {
  // The texts of a growing answer do not change the list.
  const chats = usePlayground(useShallow((store) => store.chats.filter(({ id }) => id !== store.currentId)))
  const current = usePlayground(
    useShallow((store) => {
      const chat = store.chats.find(({ id }) => id === store.currentId)
      return chat && { id: chat.id, title: chat.title, pinned: chat.pinned, questions: chat.exchanges.length }
    }),
  )
  const [text, setText] = useState('')
  const [focused, setFocused] = useState<string | null>(null)
  const timeZone = useTimeZone()
  const now = useNow()
  const open = usePlayground.getState().chats.find(({ id }) => id === current?.id)
  const groups = groupChats(open ? [open, ...chats] : chats, text, (at) => getDay(at, timeZone))
  const ids = groups.flatMap((group) => group.chats.map(({ id }) => id))
  const reachable = focused !== null && ids.includes(focused) ? focused : (current?.id ?? null)
  const inTabOrder = reachable !== null && ids.includes(reachable) ? reachable : ids[0]

  const getName = ({ name }: ChatGroup) => {
    if (name === 'pinned') return 'Pinned'
    if (name === getDay(now, timeZone)) return 'Today'
    if (name === getDay(now - DAY_MS, timeZone)) return 'Yesterday'
    return formatDay(`${name}T12:00:00Z`, now, 'UTC')
  }
  return (
    <>
      <div className="relative mx-3 mb-2 shrink-0">
        <Search size={14} aria-hidden className="absolute top-2 left-2.5 text-ink-3" />
        <input
          type="search"
          aria-label="Search chats"
          placeholder="Search chats"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-[30px] w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-ink-3"
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are an addition; each row is a button */}
      <div
        onKeyDown={(event) => moveFocus(event, '[data-row]')}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-3"
      >
        {groups.map((group) => (
          <section key={group.name} aria-label={getName(group)}>
            <h3 className="px-2 pt-3 pb-1 font-medium text-ink-3 text-xs">{getName(group)}</h3>
            <ul>
              {group.chats.map((chat) => (
                <ChatRow
                  key={chat.id}
                  chat={chat}
                  current={chat.id === current?.id}
                  inTabOrder={chat.id === inTabOrder}
                  onFocus={() => setFocused(chat.id)}
                  onOpened={onOpened}
                />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 ? (
          <p role="status" className="px-2 py-6 text-center text-ink-3">
            {text.trim() ? 'No chats found.' : 'Your chats appear here. They stay on this computer.'}
          </p>
        ) : null}
      </div>
    </>
  )
}

interface ChatGroup {
  /** `pinned`, or the day (YYYY-MM-DD) on which its chats started. */
  name: string
  chats: Chat[]
}

/** The chats with a question that contain a text, pinned ones first, then by day, newest first. */
function groupChats(
  chats: readonly Chat[],
  text: string,
  getDay: (startedAt: number) => string,
): ChatGroup[] {
  const query = text.trim().toLowerCase()
  const matches = chats
    .filter((chat) => chat.exchanges.length > 0 && includesText(chat, query))
    .toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || b.startedAt - a.startedAt)
  const groups = Map.groupBy(matches, (chat) => (chat.pinned ? 'pinned' : getDay(chat.startedAt)))
  return [...groups].map(([name, members]) => ({ name, chats: members }))
}

function includesText(chat: Chat, query: string): boolean {
  return (
    query === '' ||
    getTitle(chat).toLowerCase().includes(query) ||
    chat.exchanges.some(
      ({ text, results, answers }) =>
        text.toLowerCase().includes(query) ||
        results.some(({ content }) => content.toLowerCase().includes(query)) ||
        answers.some((answer) => answer.text.toLowerCase().includes(query)),
    )
  )
}

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

function ChatRow({ chat, current, inTabOrder, onFocus, onOpened }: ChatRowProps) {
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
  const items: MenuItems = [
    { label: 'Rename', icon: Pencil, onSelect: () => setRenaming(true) },
    {
      label: chat.pinned ? 'Unpin' : 'Pin',
      icon: chat.pinned ? PinOff : Pin,
      onSelect: () => changeChat(chat.id, { pinned: !chat.pinned }),
    },
    'separator',
    exportItem(chat),
    'separator',
    { label: 'Delete', icon: Trash2, danger: true, onSelect: () => deleteChat(chat.id) },
  ]
  return (
    <SecondaryMenu label={`Options for ${title}`} getItems={() => items}>
      <li
        className={cn(
          'group/chat flex items-center rounded-md pr-0.5',
          current ? 'bg-accent-soft' : 'focus-within:bg-sunken hover:bg-sunken',
        )}
      >
        <button
          ref={row}
          type="button"
          data-row={chat.id}
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
              <IconButton
                label={`Options for ${title}`}
                icon={Ellipsis}
                small
                tabIndex={inTabOrder ? 0 : -1}
              />
            }
            items={items}
          />
        </span>
      </li>
    </SecondaryMenu>
  )
}

/** The menu item that saves the branch that is shown: the desktop app asks for the place. */
export function exportItem(chat: Chat) {
  return {
    label: 'Export as Markdown',
    icon: FileText,
    onSelect: () => download(new Blob([writeMarkdown(chat)], { type: 'text/markdown' }), nameFile(chat)),
  }
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
  const rows = [...document.querySelectorAll<HTMLElement>('button[data-row]')]
  const at = rows.indexOf(row)
  ;(rows[at + 1] ?? rows[at - 1])?.focus()
}

function writeMarkdown(chat: Chat): string {
  const system = chat.system.trim() ? [`**System prompt**\n\n${chat.system.trim()}`] : []
  const parts = [`# ${getTitle(chat)}`, ...system, ...findPath(chat).flatMap(writeExchange)]
  return `${parts.join('\n\n')}\n`
}

function nameFile(chat: Chat): string {
  const words = getTitle(chat)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return `${words.slice(0, 50) || 'chat'}.md`
}

function writeExchange(exchange: Exchange): string[] {
  const { text, imageCount, results } = exchange
  const images = imageCount === 0 ? [] : [imageCount === 1 ? '_1 image_' : `_${imageCount} images_`]
  const question = [...images, ...(text ? [text] : [])]
  return [
    ...results.map(({ name, content }) => `## Result of ${name}\n\n${fence(content, '')}`),
    ...(question.length > 0 ? [`## Question\n\n${question.join('\n\n')}`] : []),
    ...listColumns(exchange).flatMap((column) => writeAnswer(exchange, column)),
  ]
}

function writeAnswer(exchange: Exchange, column: number): string[] {
  const answer = getAnswer(exchange, column)
  if (!answer) return []
  const calls = answer.toolUses.map((use) => `Calls \`${use.name}\`:\n\n${fence(use.arguments, 'json')}`)
  const error = answer.error ? [`Error: ${answer.error.message}`] : []
  const body = [...(answer.text ? [answer.text] : []), ...calls, ...error]
  return [`## ${answer.model ?? 'Answer'}\n\n${body.join('\n\n')}`]
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}
