import { Code, type LucideIcon, MessageSquare, SquareTerminal, TriangleAlert } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { Input } from '../../kit/field.tsx'
import { formatAgo } from '../../kit/format.ts'
import { Logo } from '../../kit/logo.tsx'
import type { LogoName } from '../../kit/logo-shapes.ts'
import { includesWords } from '../../kit/search-field.tsx'
import { useNow } from '../../kit/use-now.ts'
import type { Snippet, SnippetGroup } from '../../parts/snippets/snippet.ts'
import { SnippetBlocks } from '../../parts/snippets/snippet-blocks.tsx'

const groups: readonly { id: SnippetGroup; name: string }[] = [
  { id: 'agent', name: 'Coding tools' },
  { id: 'code', name: 'SDKs and code' },
  { id: 'chat', name: 'Chat apps' },
]

interface ToolListProps {
  tools: readonly Snippet[]
  value: string
  onChange: (id: string) => void
  /** The newest request of each tool that has sent any recently, by its id. */
  requests: ReadonlyMap<string, RequestRecord>
}

export function ToolList({ tools, value, onChange, requests }: ToolListProps) {
  const now = useNow()
  const [search, setSearch] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const emptyId = useId()
  const found = tools.filter(({ name }) => includesWords(name, search))
  const shownGroups = groups
    .map(({ id, name }) => ({ id, name, members: found.filter(({ group }) => group === id) }))
    .filter(({ members }) => members.length > 0)

  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && search !== '') {
      event.preventDefault()
      setSearch('')
    }
    const [first] = found
    if ((event.key !== 'Enter' && event.key !== 'ArrowDown') || !first) return
    event.preventDefault()
    const selected = found.find(({ id }) => id === value) ?? first
    onChange(selected.id)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[found.indexOf(selected)]?.focus()
  }

  return (
    <Tabs.Root
      orientation="vertical"
      value={value}
      onValueChange={onChange}
      className="grid grid-cols-[12rem_1fr] items-start max-sm:grid-cols-1 max-md:grid-cols-[11rem_1fr]"
    >
      <div className="flex h-full flex-col border-line border-r max-sm:border-r-0 max-sm:border-b">
        <div className="p-2 pb-0">
          <Input
            type="search"
            aria-label="Find a tool"
            placeholder="Find a tool"
            aria-describedby={found.length === 0 ? emptyId : undefined}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={onKey}
          />
        </div>
        {found.length === 0 ? (
          <p id={emptyId} role="status" className="px-4.5 py-3 text-ink-3">
            No such tool. Most others work with the base URL and a key.
          </p>
        ) : null}
        <Tabs.List
          ref={list}
          aria-label="Tools"
          className="flex flex-col p-2 max-sm:max-h-52 max-sm:overflow-y-auto"
        >
          {shownGroups.map((group) => (
            <div key={group.id} role="presentation" className="flex flex-col pb-2 last:pb-0">
              <p aria-hidden className="px-2.5 pt-1.5 pb-1 font-medium text-ink-3 text-xs">
                {group.name}
              </p>
              {group.members.map((tool) => (
                <Tabs.Trigger
                  key={tool.id}
                  value={tool.id}
                  {...describeConnection(requests.get(tool.id), now)}
                  className="flex h-8 items-center gap-2 rounded-md px-2.5 text-left font-medium text-ink-2 hover:bg-sunken data-[state=active]:bg-accent-soft data-[state=active]:text-accent-ink"
                >
                  <ToolLogo tool={tool} />
                  <span className="flex-1 truncate">{tool.name}</span>
                  {requests.has(tool.id) ? (
                    <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-good-fill" />
                  ) : null}
                </Tabs.Trigger>
              ))}
            </div>
          ))}
        </Tabs.List>
      </div>
      {tools.map((tool) => (
        <Tabs.Content
          key={tool.id}
          value={tool.id}
          className="top-0 flex min-w-0 sm:sticky flex-col gap-3 p-4 -outline-offset-2"
        >
          {tool.intro ? <p className="max-w-2xl text-ink-2">{tool.intro}</p> : null}
          <SnippetBlocks blocks={tool.blocks} />
          {tool.caution ? (
            <p className="flex max-w-2xl gap-2 text-ink-2">
              <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
              {tool.caution}
            </p>
          ) : null}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

/** The meaning of the dot, for the pointer and for screen readers. */
function describeConnection(request: RequestRecord | undefined, now: number) {
  if (!request) return {}
  const text = `Connected, last request ${formatAgo(request.createdAt, now)}`
  return { title: text, 'aria-description': text }
}

const names: Readonly<Record<string, LogoName>> = {
  'ai-sdk': 'vercel',
  'anthropic-sdk': 'anthropic',
  'claude-code': 'claudecode',
  cline: 'cline',
  codex: 'codex',
  copilot: 'githubcopilot',
  cursor: 'cursor',
  gemini: 'geminicli',
  'google-genai': 'google',
  kilo: 'kilocode',
  langchain: 'langchain',
  'open-webui': 'openwebui',
  opencode: 'opencode',
  qwen: 'qwen',
  roo: 'roocode',
}

const fallbacks: Readonly<Record<SnippetGroup, LucideIcon>> = {
  agent: SquareTerminal,
  code: Code,
  chat: MessageSquare,
}

interface ToolLogoProps {
  tool: Pick<Snippet, 'id' | 'group'>
  size?: number
}

export function ToolLogo({ tool, size = 16 }: ToolLogoProps) {
  const name = names[tool.id]
  if (name) return <Logo name={name} size={size} className="shrink-0" />
  const Icon = fallbacks[tool.group]
  return <Icon size={size} aria-hidden strokeWidth={1.75} className="shrink-0" />
}
