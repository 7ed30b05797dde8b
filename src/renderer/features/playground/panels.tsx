import { type LucideIcon, PanelLeft, SlidersHorizontal, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { readStored } from '../../kit/stored.ts'
import { useMediaQuery } from '../../kit/theme.ts'

type PanelName = 'chats' | 'parameters'

const PANELS: Readonly<Record<PanelName, { title: string; icon: LucideIcon; side: string }>> = {
  chats: { title: 'Chats', icon: PanelLeft, side: 'left-0 w-62 border-r' },
  parameters: { title: 'Parameters', icon: SlidersHorizontal, side: 'right-0 w-80 border-l' },
}

const Docked = z.object({ chats: z.boolean(), parameters: z.boolean() })
const STORAGE_KEY = 'tollgate.playground-panels'

/** The width from which on panels are next to the conversation. In others, one covers it. */
const WIDE = '(min-width: 1100px)'

export interface PanelState {
  wide: boolean
  /** The one that covers the conversation; null if none does. */
  cover: PanelName | null
  isOpen(name: PanelName): boolean
  open(name: PanelName): void
  /** Its button gets the focus. */
  close(name: PanelName): void
}

export function usePanels(): PanelState {
  const wide = useMediaQuery(WIDE)
  const [docked, setDocked] = useState(
    () => readStored(STORAGE_KEY, Docked) ?? { chats: true, parameters: false },
  )
  const [covering, setCovering] = useState<PanelName | null>(null)
  const cover = wide ? null : covering
  const change = (name: PanelName, open: boolean) => {
    if (!wide) return setCovering(open ? name : null)
    const next = { ...docked, [name]: open }
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next))
    setDocked(next)
  }
  return {
    wide,
    cover,
    isOpen: (name) => (wide ? docked[name] : cover === name),
    open: (name) => change(name, true),
    close(name) {
      change(name, false)
      document.getElementById(panelButtonId(name))?.focus()
    },
  }
}

interface PanelProps {
  name: PanelName
  panels: PanelState
}

const panelButtonId = (name: PanelName) => `playground-${name}`

/** Opens and closes a panel. */
export function PanelButton({ name, panels }: PanelProps) {
  const open = panels.isOpen(name)
  return (
    <IconButton
      id={panelButtonId(name)}
      label={PANELS[name].title}
      icon={PANELS[name].icon}
      aria-expanded={open}
      data-state={open ? 'open' : 'closed'}
      onClick={() => (open ? panels.close(name) : panels.open(name))}
    />
  )
}

/** A panel at the side of the conversation. */
export function Panel({ name, panels, children }: PanelProps & { children: ReactNode }) {
  const { title, side } = PANELS[name]
  if (!panels.isOpen(name)) return null
  return (
    <aside
      aria-label={title}
      className={cn(
        'flex h-full shrink-0 flex-col border-line',
        panels.wide ? 'relative bg-canvas' : 'absolute z-30 animate-fade bg-raised shadow-float',
        side,
      )}
    >
      <header className="flex h-11 shrink-0 items-center justify-between pr-2 pl-4">
        <h2 className="font-semibold">{title}</h2>
        <IconButton label="Close" icon={X} small onClick={() => panels.close(name)} />
      </header>
      {children}
    </aside>
  )
}
