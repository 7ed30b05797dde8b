import type { LucideIcon } from 'lucide-react'
import { IconButton } from '../../kit/icon-button.tsx'
import { useMediaQuery } from '../../kit/theme.ts'
import { type PanelName, usePanels } from './panel-state.ts'

/** The width from which on panels are next to the conversation. */
export const WIDE = '(min-width: 1100px)'

export const panelButtonId = (name: PanelName) => `playground-${name}`

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
