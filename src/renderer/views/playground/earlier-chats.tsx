import { Command } from 'cmdk'
import { History } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { NothingFound } from '../../components/nothing-found.tsx'
import { PopoverPanel } from '../../components/popover-panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import type { Chat } from '../../playground/chat-storage.ts'
import { getTitle } from '../../playground/chat-tree.ts'

interface EarlierChatsProps {
  chats: readonly Chat[]
  currentId: string
  onOpen: (id: string) => void
}

export function EarlierChats({ chats, currentId, onOpen }: EarlierChatsProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const query = text.trim().toLowerCase()
  const found = chats.filter(
    (chat) => chat.id !== currentId && chat.exchanges.length > 0 && includesText(chat, query),
  )
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <IconButton label="Earlier chats" icon={History} />
      </Popover.Trigger>
      <PopoverPanel align="end" aria-label="Earlier chats" className="w-96 overflow-hidden">
        <Command loop shouldFilter={false} label="Earlier chats">
          <Command.Input
            autoFocus
            value={text}
            onValueChange={setText}
            placeholder="Search chats"
            className="h-10 w-full border-line border-b bg-transparent px-3 outline-none placeholder:text-ink-3"
          />
          <Command.List className="max-h-80 overflow-y-auto p-1">
            <NothingFound>{query ? 'No chat contains this text.' : 'No earlier chats.'}</NothingFound>
            {found.map((chat) => (
              <Command.Item
                key={chat.id}
                value={chat.id}
                onSelect={() => {
                  onOpen(chat.id)
                  setOpen(false)
                }}
                className="flex items-center gap-3 rounded-md px-2.5 py-2 data-[selected=true]:bg-highlight"
              >
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{getTitle(chat)}</span>
                  <span className="block truncate text-ink-3 text-sm">
                    {chat.models.filter(Boolean).join(', ')}
                  </span>
                </span>
                <span className="shrink-0 text-ink-3 text-sm">
                  <RelativeTime iso={new Date(chat.startedAt).toISOString()} />
                </span>
              </Command.Item>
            ))}
          </Command.List>
        </Command>
      </PopoverPanel>
    </Popover.Root>
  )
}

function includesText(chat: Chat, query: string): boolean {
  return (
    query === '' ||
    chat.exchanges.some(
      ({ text, results, answers }) =>
        text.toLowerCase().includes(query) ||
        results.some(({ content }) => content.toLowerCase().includes(query)) ||
        answers.some((answer) => answer.text.toLowerCase().includes(query)),
    )
  )
}
