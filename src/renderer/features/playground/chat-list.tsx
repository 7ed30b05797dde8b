import { Pencil, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, memo, useRef, useState } from 'react'
import { toast } from 'sonner'
import { useTimeZone } from '../../data/hooks.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatDay, getDay } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Menu, type MenuItems, SecondaryMenu } from '../../kit/menu.tsx'
import { getRowId, moveFocus, useMarker } from '../../kit/row-focus.ts'
import { includesWords, SearchField } from '../../kit/search-field.tsx'
import { useNow } from '../../kit/use-now.ts'
import { type Chat, getTitle } from '../../parts/chats/chat.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

const DAY_MS = 86_400_000

interface ChatListProps {
  /** A chat was opened. */
  onOpened: () => void
}

/** All chats by day, newest first: search, open, rename and delete, also several. Arrow keys move through the list. */
export function ChatList({ onOpened }: ChatListProps) {
  const { chats, currentId, openChat } = usePlayground()
  const [text, setText] = useState('')
  const timeZone = useTimeZone()
  const now = useNow()
  const matches = chats.filter((chat) => chat.exchanges.length > 0 && includesText(chat, text.trim()))
  const days = [...Map.groupBy(matches, ({ startedAt }) => getDay(startedAt, timeZone))]
  const nameDay = (day: string) => {
    if (day === getDay(now, timeZone)) return 'Today'
    if (day === getDay(now - DAY_MS, timeZone)) return 'Yesterday'
    return formatDay(`${day}T12:00:00Z`, now, 'UTC')
  }
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string>()
  const marker = useMarker({ marked, onMark: setMarked }, () => matches.map(({ id }) => id), focused)
  const markedIds = matches.flatMap(({ id }) => (marked.has(id) ? id : []))
  const remove = (ids: readonly string[]) => {
    deleteChats(ids)
    setMarked(new Set())
  }
  const onClick = (event: MouseEvent) => {
    const id = getRowId(event.target)
    if (id === undefined || marker?.onClick(id, event)) return
    if (id !== currentId) openChat(id)
    onOpened()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const id = getRowId(event.target)
    if (marker?.onKey(id, event)) return
    moveFocus(event, '[data-row]')
    const next = document.activeElement && getRowId(document.activeElement)
    if (event.shiftKey && next && next !== id) marker?.markTo(next)
    if (event.key !== 'Delete' || id === undefined) return
    event.preventDefault()
    const ids = marked.has(id) ? markedIds : [id]
    focusNeighbor(event.currentTarget, ids)
    remove(ids)
  }
  // The other rows are reached from it by arrow keys.
  const tabStop = matches.find(({ id }) => id === currentId) ?? matches[0]
  return (
    <>
      <div className="mx-3 mb-2 flex shrink-0">
        <SearchField label="Search chats" value={text} onChange={setText} />
      </div>
      {markedIds.length > 0 ? (
        <div role="status" className="flex items-center bg-accent-soft py-1 pr-2 pl-4 text-sm">
          <span className="mr-auto font-medium">{`${formatCount(markedIds.length)} selected`}</span>
          <IconButton small label="Delete" icon={Trash2} onClick={() => remove(markedIds)} />
          <IconButton small label="Clear selection" icon={X} onClick={() => setMarked(new Set())} />
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: each row is a button */}
      <div
        onClick={onClick}
        onMouseDown={marker?.onMouseDown}
        onFocus={({ target }) => setFocused(getRowId(target))}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-3"
      >
        {days.map(([day, members]) => (
          <section key={day} aria-label={nameDay(day)}>
            <h3 className="px-2 pt-3 pb-1 font-medium text-ink-3 text-xs">{nameDay(day)}</h3>
            <ul>
              {members.map((chat) => (
                <ChatRow
                  key={chat.id}
                  id={chat.id}
                  title={getTitle(chat)}
                  current={chat.id === currentId}
                  marked={marked.has(chat.id)}
                  inTabOrder={chat === tabStop}
                />
              ))}
            </ul>
          </section>
        ))}
        {matches.length === 0 ? (
          <p role="status" className="px-2 py-6 text-center text-ink-3">
            {text.trim() ? 'No chats found.' : 'Your chats appear here. They stay on this computer.'}
          </p>
        ) : null}
      </div>
    </>
  )
}

function includesText(chat: Chat, search: string): boolean {
  const texts = chat.exchanges.flatMap(({ text, results, answers }) => [
    text,
    ...results.map(({ content }) => content),
    ...answers.map((answer) => answer.text),
  ])
  return includesWords([getTitle(chat), ...texts].join('\n'), search)
}

const UNDO_MS = 8_000

/** Deletes chats, with a message that can undo it. */
export function deleteChats(ids: readonly string[]): void {
  const removals = ids.map((id) => usePlayground.getState().removeChat(id))
  const undo = () => {
    for (const putBack of removals) putBack()
  }
  toast(ids.length === 1 ? 'Chat deleted.' : `${ids.length} chats deleted.`, {
    duration: UNDO_MS,
    action: { label: 'Undo', onClick: undo },
  })
}

interface ChatRowProps {
  id: string
  title: string
  current: boolean
  marked: boolean
  /** It is the row that Tab reaches. */
  inTabOrder: boolean
}

/** Not rendered again with every token of an answer, which changes the list of chats. */
const ChatRow = memo(function ChatRow({ id, title, current, marked, inTabOrder }: ChatRowProps) {
  const { renameChat } = usePlayground.getState()
  const [renaming, setRenaming] = useState(false)
  const row = useRef<HTMLButtonElement>(null)
  const finish = (name: string | null) => {
    if (name !== null) renameChat(id, name)
    setRenaming(false)
    requestAnimationFrame(() => row.current?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'F2') return
    event.preventDefault()
    setRenaming(true)
  }
  if (renaming) return <RenameField title={title} onFinish={finish} />
  const label = `Options for ${title}`
  const items: MenuItems = [
    { label: 'Rename', icon: Pencil, onSelect: () => setRenaming(true) },
    { label: 'Delete', icon: Trash2, danger: true, onSelect: () => deleteChats([id]) },
  ]
  return (
    <SecondaryMenu label={label} getItems={() => items}>
      <li
        className={cn(
          'group/chat flex items-center rounded-md pr-0.5',
          current || marked ? 'bg-accent-soft' : 'focus-within:bg-sunken hover:bg-sunken',
        )}
      >
        <button
          ref={row}
          type="button"
          data-row={id}
          aria-current={current || undefined}
          aria-description={marked ? 'Selected' : undefined}
          tabIndex={inTabOrder ? 0 : -1}
          onKeyDown={onKeyDown}
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
          <Menu label={label} items={items} />
        </span>
      </li>
    </SecondaryMenu>
  )
})

interface RenameFieldProps {
  title: string
  /** `name`: null to keep the title. */
  onFinish: (name: string | null) => void
}

function RenameField({ title, onFinish }: RenameFieldProps) {
  const [name, setName] = useState(title)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onFinish(name)
    if (event.key !== 'Escape') return
    // It neither closes the panel nor stops an answer.
    event.preventDefault()
    onFinish(null)
  }
  return (
    <li className="px-1 py-0.5">
      <input
        aria-label="Name of the chat"
        // biome-ignore lint/a11y/noAutofocus: the user asked to type here
        autoFocus
        value={name}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => onFinish(name)}
        onKeyDown={onKeyDown}
        className="h-7 w-full rounded-md border border-line-strong bg-surface px-1.5"
      />
    </li>
  )
}

/** The row that follows the one with the focus, or else the one above, takes its focus; none that is deleted. */
function focusNeighbor(list: HTMLElement, deleted: readonly string[]): void {
  const rows = [...list.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.matches(':focus'))
  const isKept = (row: HTMLElement) => !deleted.includes(row.dataset.row ?? '')
  const next = rows.slice(at).find(isKept) ?? rows.slice(0, at).findLast(isKept)
  next?.focus()
}
