import { Ellipsis, type LucideIcon } from 'lucide-react'
import { ContextMenu, DropdownMenu } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { cn } from './cn.ts'
import { IconButton } from './icon-button.tsx'

export interface MenuItem {
  label: string
  icon?: LucideIcon
  /** Something that cannot be undone; shown in red. */
  danger?: boolean
  disabled?: boolean
  onSelect: () => void
}

export type MenuItems = readonly (MenuItem | 'separator')[]

interface MenuProps {
  /** The accessible name of the button that opens it. */
  label: string
  items: MenuItems
  trigger?: ReactNode
}

const PANEL =
  'z-50 min-w-40 max-w-80 animate-rise overflow-hidden rounded-lg border border-line bg-raised p-1 shadow-float'

interface EntriesProps {
  items: MenuItems
  parts: Pick<typeof DropdownMenu, 'Item' | 'Separator'>
}

function Entries({ items, parts: { Item, Separator } }: EntriesProps) {
  return items.map((item, index) =>
    item === 'separator' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: separators have no identity other than their position
      <Separator key={index} className="my-1 h-px bg-line" />
    ) : (
      <Item
        key={item.label}
        disabled={item.disabled ?? false}
        onSelect={item.onSelect}
        className={cn(
          'flex items-center gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-highlight data-disabled:opacity-50',
          item.danger ? 'text-bad' : 'text-ink',
        )}
      >
        {item.icon ? <item.icon size={14} aria-hidden className="shrink-0" /> : null}
        <span className="truncate">{item.label}</span>
      </Item>
    ),
  )
}

export function Menu({ label, items, trigger }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [landmark, setLandmark] = useState<HTMLElement | null>(null)
  // In the landmark of its button, and not modal, which would hide the page from screen readers.
  const find = (open: boolean) =>
    open && setLandmark(button.current?.closest<HTMLElement>('main, nav') ?? null)
  return (
    <DropdownMenu.Root modal={false} onOpenChange={find}>
      <DropdownMenu.Trigger ref={button} asChild>
        {trigger ?? <IconButton label={label} icon={Ellipsis} small />}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={landmark}>
        <DropdownMenu.Content align="end" sideOffset={4} collisionPadding={8} className={PANEL}>
          <Entries items={items} parts={DropdownMenu} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface SecondaryMenuProps {
  /** The accessible name of the menu. */
  label: string
  /** The items for what is under the pointer or has the focus; null for the menu of the window. */
  getItems(target: EventTarget): MenuItems | null
  /** One element. */
  children: ReactNode
}

/** The menu that the secondary button of the mouse and the menu key open. */
export function SecondaryMenu({ label, getItems, children }: SecondaryMenuProps) {
  const [items, setItems] = useState<MenuItems>([])
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger
        asChild
        onContextMenuCapture={(event) => {
          const found = getItems(event.target)
          // Radix would open its own and prevent that of the window.
          if (found === null) event.stopPropagation()
          else setItems(found)
        }}
      >
        {children}
      </ContextMenu.Trigger>
      {items.length === 0 ? null : (
        <ContextMenu.Portal>
          <ContextMenu.Content aria-label={label} collisionPadding={8} className={PANEL}>
            <Entries items={items} parts={ContextMenu} />
          </ContextMenu.Content>
        </ContextMenu.Portal>
      )}
    </ContextMenu.Root>
  )
}
