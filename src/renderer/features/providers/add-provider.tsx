import { useQuery } from '@tanstack/react-query'
import { Search, Server } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { isPlan, PLAN_VENDORS } from '../../../shared/api/terms.ts'
import { putProvider } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { CodeBlock } from '../../kit/copy.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { includesWords } from '../../kit/search-field.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { FoundProviders } from './found-providers.tsx'
import { ProviderLogo } from './provider-logo.tsx'
import { SetUpProvider } from './set-up-provider.tsx'

export function AddProvider({ onClose }: { onClose: () => void }) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [chosen, setChosen] = useState<ProviderRecord | 'custom' | null>(null)
  const [search, setSearch] = useState('')
  const tiles = useRef<HTMLFieldSetElement>(null)
  const emptyId = useId()
  if (chosen !== null && chosen !== 'custom' && isPlan(chosen.id))
    return <AddPlan provider={chosen} onClose={onClose} onBack={() => setChosen(null)} />
  if (chosen !== null) {
    return (
      <SetUpProvider
        provider={chosen === 'custom' ? null : chosen}
        onClose={onClose}
        onBack={() => setChosen(null)}
      />
    )
  }
  const found = findProviders(
    providers.filter(({ configured }) => !configured),
    search,
  )
  const groups = [
    { title: 'Cloud', members: found.filter(({ local }) => !local) },
    { title: 'On this computer', members: found.filter(({ local }) => local) },
  ].filter(({ members }) => members.length > 0)

  const onSearchKey = (event: KeyboardEvent) => {
    const [first] = found
    if (event.key === 'Enter' && search.trim() !== '' && first) {
      event.preventDefault()
      setChosen(first)
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      tiles.current?.querySelector('button')?.focus()
    } else if (event.key === 'Escape' && search !== '') {
      event.preventDefault()
      event.stopPropagation()
      setSearch('')
    }
  }

  return (
    <Dialog
      open
      large
      onClose={onClose}
      title="Add provider"
      description="Choose a provider you have an account with, or a server on this computer."
    >
      <div className="sticky -top-1 z-10 -mx-5 -mt-1 flex gap-2 bg-raised px-5 pt-1 pb-4">
        <div className="relative flex-1">
          <Search size={14} aria-hidden className="absolute top-2.25 left-2.5 text-ink-3" />
          <Input
            type="search"
            aria-label="Find a provider"
            placeholder="Find a provider"
            aria-describedby={found.length === 0 ? emptyId : undefined}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={onSearchKey}
            className="pl-8"
          />
        </div>
        <Button icon={Server} onClick={() => setChosen('custom')}>
          Custom server
        </Button>
      </div>
      {search.trim() === '' ? <FoundProviders /> : null}
      <fieldset ref={tiles} aria-label="Providers" onKeyDown={focusNeighbor} className="flex flex-col gap-5">
        {groups.map(({ title, members }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-2 font-medium text-ink-2 text-sm">{title}</h3>
            <div className="grid grid-cols-3 gap-2 max-sm:grid-cols-1 max-md:grid-cols-2">
              {members.map((provider) => (
                <Tile key={provider.id} provider={provider} onChoose={() => setChosen(provider)} />
              ))}
            </div>
          </section>
        ))}
        {found.length === 0 ? (
          <p
            id={emptyId}
            role="status"
            className="text-ink-2"
          >{`No provider matches “${search.trim()}”. If it has an API like OpenAI’s, Anthropic’s or Gemini’s, add it as a custom server.`}</p>
        ) : null}
      </fieldset>
    </Dialog>
  )
}

interface TileProps {
  provider: ProviderRecord
  onChoose: () => void
}

function Tile({ provider, onChoose }: TileProps) {
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex h-11 items-center gap-2.5 rounded-lg border border-line bg-surface px-3 text-left hover:border-line-strong hover:bg-sunken"
    >
      <ProviderLogo provider={provider} size={20} className="text-ink" />
      <span className="truncate font-medium">{provider.name}</span>
    </button>
  )
}

/** Other words that people use for a provider. */
const otherWords: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  azure: 'microsoft foundry',
  bedrock: 'aws claude nova llama',
  'bedrock-openai': 'aws gpt',
  gemini: 'ai studio',
  huggingface: 'hf',
  llamacpp: 'llama-server gguf',
  minimax: 'hailuo',
  openai: 'gpt chatgpt',
  qwen: 'dashscope model studio tongyi',
  vertex: 'gcp cloud',
  'vertex-claude': 'gcp cloud anthropic',
  xai: 'grok',
  zai: 'zhipu bigmodel',
}

/** Providers that have every word of the search in what they are called, those whose name begins with it first. */
function findProviders(providers: readonly ProviderRecord[], search: string): ProviderRecord[] {
  const text = search.trim().toLowerCase()
  const found = providers.filter(({ id, name, baseUrl }) =>
    includesWords(`${name} ${id} ${baseUrl ?? ''} ${otherWords[id] ?? ''}`, text),
  )
  const begins = ({ name }: ProviderRecord) => name.toLowerCase().startsWith(text)
  return text === '' ? found : [...found.filter(begins), ...found.filter((provider) => !begins(provider))]
}

/** Moves the focus among the buttons of an element with the arrow keys, as they are laid out. */
function focusNeighbor(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')]
  const current = buttons.find((button) => button === document.activeElement)
  const next = current && findNeighbor(buttons, current, event.key)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function findNeighbor(
  buttons: readonly HTMLElement[],
  current: HTMLElement,
  key: string,
): HTMLElement | undefined {
  const index = buttons.indexOf(current)
  switch (key) {
    case 'ArrowRight':
      return buttons[index + 1]
    case 'ArrowLeft':
      return buttons[index - 1]
    case 'ArrowDown':
      return findInRow(buttons.slice(index + 1), current)
    case 'ArrowUp':
      return findInRow(buttons.slice(0, Math.max(0, index)).reverse(), current)
    default:
      return undefined
  }
}

/** The element nearest to the column, among those in the nearest other row. */
function findInRow(candidates: readonly HTMLElement[], current: HTMLElement): HTMLElement | undefined {
  const place = (element: HTMLElement) => element.getBoundingClientRect()
  const { top, left } = place(current)
  const first = candidates.find((element) => place(element).top !== top)
  if (!first) return candidates[0]
  const rowTop = place(first).top
  const row = candidates.filter((element) => place(element).top === rowTop)
  return row.toSorted((a, b) => Math.abs(place(a).left - left) - Math.abs(place(b).left - left))[0]
}

const commands: Readonly<Record<string, { tool: string; command: string }>> = {
  'claude-plan': { tool: 'Claude Code', command: 'tollgate setup claude-code --plan' },
  'chatgpt-plan': { tool: 'Codex', command: 'tollgate setup codex --plan' },
}

interface AddPlanProps {
  provider: ProviderRecord
  onClose: () => void
  onBack: () => void
}

/** A plan has nothing to enter: its sign-in comes with the requests of its own client. */
function AddPlan({ provider, onClose, onBack }: AddPlanProps) {
  const { pending, error, submit } = useSubmit()
  const { tool, command } = commands[provider.id] ?? { tool: 'Its client', command: '' }
  const vendor = PLAN_VENDORS[provider.id]
  const add = () => submit(() => putProvider(provider.id, { enabled: true }), onClose)
  return (
    <Dialog open onClose={onClose} title={`Add ${provider.name}`}>
      <div className="flex flex-col gap-4">
        <p>
          {tool} stays signed in, and your {vendor} plan pays. Tollgate passes the sign-in on to {vendor} with
          each request, and stores it nowhere. You see what the requests are worth, and your limits on
          requests and tokens hold.
        </p>
        <CodeBlock code={command} title={`Then, in a terminal, point ${tool} at Tollgate`} />
        <Link href="/help/plans" className="self-start font-medium text-accent-ink hover:underline">
          How plans work
        </Link>
        <InlineError error={error} />
      </div>
      <DialogActions>
        <Button variant="quiet" onClick={onBack} className="mr-auto" disabled={pending}>
          Back
        </Button>
        <Button variant="primary" pending={pending} onClick={() => void add()}>
          Add
        </Button>
      </DialogActions>
    </Dialog>
  )
}
