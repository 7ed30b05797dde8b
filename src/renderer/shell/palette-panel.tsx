import { Command, useCommandState } from 'cmdk'
import { Cable, Copy, KeyRound, MessageSquarePlus, Monitor, Moon, Plus, Sun } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import { copyText } from '../components/copy.tsx'
import { NothingFound } from '../components/nothing-found.tsx'
import { useReturnFocus } from '../components/return-focus.ts'
import { usePlayground } from '../playground/playground-store.ts'
import { useBaseUrl } from '../server-state/hooks.ts'
import { buildSnippets, DEFAULT_BASE_URL } from '../snippets/snippets.ts'
import { type Theme, useTheme } from '../theme.ts'
import { views } from './navigation.ts'
import { closePalette, usePalette } from './palette-state.ts'

const themes = [
  { theme: 'system', icon: Monitor, label: 'Use the system theme' },
  { theme: 'light', icon: Sun, label: 'Use the light theme' },
  { theme: 'dark', icon: Moon, label: 'Use the dark theme' },
] as const satisfies { theme: Theme; icon: unknown; label: string }[]

const itemClasses = 'flex h-9 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-highlight'
const groupClasses =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs'

/** Only their names are used. */
const tools = buildSnippets({ baseUrl: DEFAULT_BASE_URL, secret: '', model: '' })

/** The tools of Connect, once something is typed: the list is long. */
function ToolItems({ onSelect }: { onSelect: (id: string) => void }) {
  const isSearching = useCommandState(({ search }) => search.trim() !== '')
  if (!isSearching) return null
  return (
    <Command.Group heading="Tools" className={groupClasses}>
      {tools.map(({ id, name }) => (
        <Command.Item
          key={id}
          value={`Connect ${name}`}
          onSelect={() => onSelect(id)}
          className={itemClasses}
        >
          <Cable size={15} aria-hidden className="text-ink-3" />
          Connect {name}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

export function PalettePanel() {
  const [, navigate] = useLocation()
  const baseUrl = useBaseUrl()
  const returnFocus = useReturnFocus()
  const select = (action: () => void) => () => {
    closePalette()
    action()
  }
  const actions = [
    { label: 'Create key', icon: KeyRound, run: () => navigate('/keys?new=1') },
    { label: 'Add provider', icon: Plus, run: () => navigate('/providers?add=1') },
    {
      label: 'New chat',
      icon: MessageSquarePlus,
      run: () => {
        usePlayground.getState().startChat()
        navigate('/playground')
      },
    },
    ...(baseUrl
      ? [
          {
            label: 'Copy base URL',
            icon: Copy,
            run: () => void copyText(baseUrl).then((done) => done && toast.success('Base URL copied.')),
          },
        ]
      : []),
  ]

  return (
    <Dialog.Root open onOpenChange={(open) => usePalette.setState({ open })}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="-translate-x-1/2 fixed top-[14vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-lg animate-fade overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Command loop label="Search and commands">
            <Command.Input
              placeholder="Search views and actions"
              className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
              <NothingFound>No results.</NothingFound>
              <Command.Group heading="Views" className={groupClasses}>
                {views.map((view) => (
                  <Command.Item
                    key={view.href}
                    onSelect={select(() => navigate(view.href))}
                    className={itemClasses}
                  >
                    <view.icon size={15} aria-hidden className="text-ink-3" />
                    {view.name}
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading="Actions" className={groupClasses}>
                {actions.map((action) => (
                  <Command.Item key={action.label} onSelect={select(action.run)} className={itemClasses}>
                    <action.icon size={15} aria-hidden className="text-ink-3" />
                    {action.label}
                  </Command.Item>
                ))}
              </Command.Group>
              <ToolItems onSelect={(id) => select(() => navigate(`/connect?tool=${id}`))()} />
              <Command.Group heading="Theme" className={groupClasses}>
                {themes.map(({ theme, icon: Icon, label }) => (
                  <Command.Item
                    key={theme}
                    onSelect={select(() => useTheme.getState().setTheme(theme))}
                    className={itemClasses}
                  >
                    <Icon size={15} aria-hidden className="text-ink-3" />
                    {label}
                  </Command.Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
