import { type LucideIcon, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useEffect } from 'react'
import { z } from 'zod'
import { create } from 'zustand'
import { cn } from '../../kit/cn.ts'
import { useReturnFocus } from '../../kit/dialog.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { readStored } from '../../kit/stored.ts'
import { useMediaQuery } from '../../kit/theme.ts'

interface PanelsProps {
  chats: ReactNode
  parameters: ReactNode
  /** The conversation. */
  children: ReactNode
}

const TITLES: Readonly<Record<PanelName, string>> = { chats: 'Chats', parameters: 'Parameters' }

/** The conversation with the panels at its sides: docked in a wide window, and over it in others. */
export function Panels({ chats, parameters, children }: PanelsProps) {
  const wide = useMediaQuery(WIDE)
  const { docked, over, setDocked, setOver } = usePanels()
  // The view opens without one that covers it.
  useEffect(() => () => setOver(null), [setOver])
  const contents = { chats, parameters }
  const close = (name: PanelName) => {
    setDocked(name, false)
    document.getElementById(panelButtonId(name))?.focus()
  }
  const dock = (name: PanelName) =>
    wide && docked[name] ? (
      <aside
        aria-label={TITLES[name]}
        className={cn(
          'relative flex h-full shrink-0 flex-col border-line bg-canvas',
          name === 'chats' ? 'w-62 border-r' : 'w-80 border-l',
        )}
      >
        <PanelContent title={<h2 className="font-semibold">{TITLES[name]}</h2>} onClose={() => close(name)}>
          {contents[name]}
        </PanelContent>
      </aside>
    ) : null
  return (
    <>
      <div className="flex min-h-0 flex-1">
        {dock('chats')}
        <div className="relative flex h-full min-w-0 flex-1 flex-col overflow-hidden">{children}</div>
        {dock('parameters')}
      </div>
      <Dialog.Root open={!wide && over !== null} onOpenChange={(open) => open || setOver(null)}>
        <Dialog.Portal>
          {over ? (
            <Sheet name={over} onClose={() => setOver(null)}>
              {contents[over]}
            </Sheet>
          ) : null}
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}

/** The title, the content, and last the button, so that opening the panel focuses its first control instead. */
function PanelContent({
  title,
  onClose,
  children,
}: {
  title: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  return (
    <>
      <header className="flex h-11 shrink-0 items-center pl-4">{title}</header>
      {children}
      <IconButton label="Close" icon={X} small onClick={onClose} className="absolute top-2 right-2" />
    </>
  )
}

/** `data-escape` marks a field that uses the key itself; a message with "Undo" is outside of the panel. */
function isWithin({ target }: Event, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null
}

function Sheet({ name, onClose, children }: { name: PanelName; onClose: () => void; children: ReactNode }) {
  const returnFocus = useReturnFocus()
  return (
    <>
      <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
      <Dialog.Content
        aria-describedby={undefined}
        onCloseAutoFocus={returnFocus}
        onEscapeKeyDown={(event) => isWithin(event, '[data-escape]') && event.preventDefault()}
        onInteractOutside={(event) => isWithin(event, '[data-sonner-toaster]') && event.preventDefault()}
        className={cn(
          'fixed inset-y-0 z-40 flex w-80 max-w-[calc(100vw-2rem)] animate-fade flex-col border-line bg-raised shadow-float',
          name === 'chats' ? 'left-0 border-r' : 'right-0 border-l',
        )}
      >
        <PanelContent
          title={<Dialog.Title className="font-semibold">{TITLES[name]}</Dialog.Title>}
          onClose={onClose}
        >
          {children}
        </PanelContent>
      </Dialog.Content>
    </>
  )
}

// The state of the playground's two panels: open next to the conversation in a wide window, over it in others.

type PanelName = 'chats' | 'parameters'

const Docked = z.object({ chats: z.boolean(), parameters: z.boolean() })
const STORAGE_KEY = 'tollgate.playground-panels'

interface PanelStore {
  /** Whether they are open next to the conversation. */
  docked: z.infer<typeof Docked>
  /** Open over the conversation. */
  over: PanelName | null
  setDocked(name: PanelName, open: boolean): void
  setOver(name: PanelName | null): void
}

export const usePanels = create<PanelStore>()((set, get) => ({
  docked: readStored(STORAGE_KEY, Docked) ?? { chats: true, parameters: false },
  over: null,
  setDocked(name, open) {
    const docked = { ...get().docked, [name]: open }
    localStorage.setItem(STORAGE_KEY, JSON.stringify(docked))
    set({ docked })
  },
  setOver: (over) => set({ over }),
}))

/** The width from which on panels are next to the conversation. */
export const WIDE = '(min-width: 1100px)'

const panelButtonId = (name: PanelName) => `playground-${name}`

interface PanelButtonProps {
  name: PanelName
  label: string
  icon: LucideIcon
}

/** Opens and closes a panel. */
export function PanelButton({ name, label, icon }: PanelButtonProps) {
  const wide = useMediaQuery(WIDE)
  const { docked, over, setDocked, setOver } = usePanels()
  const open = wide ? docked[name] : over === name
  return (
    <IconButton
      id={panelButtonId(name)}
      label={label}
      icon={icon}
      aria-expanded={open}
      data-state={open ? 'open' : 'closed'}
      onClick={() => (wide ? setDocked(name, !open) : setOver(open ? null : name))}
    />
  )
}
