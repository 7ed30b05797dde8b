// Owns tabs. Knows nothing of what stands on them.
import { Tabs as Base } from 'radix-ui'
import type { ReactNode } from 'react'

export interface Tab {
  id: string
  label: string
  content: ReactNode
}

interface TabsProps {
  label: string
  tabs: readonly Tab[]
  value: string
  onChange: (id: string) => void
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Base.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-col">
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b">
        {tabs.map((tab) => (
          <Base.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px h-9 shrink-0 border-transparent border-b-2 px-2.5 font-medium text-ink-3 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Base.Trigger>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Content key={tab.id} value={tab.id} className="pt-4 outline-none">
          {tab.content}
        </Base.Content>
      ))}
    </Base.Root>
  )
}
