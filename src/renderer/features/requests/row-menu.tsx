import { ContextMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { copyText } from '../../kit/copy.tsx'

const ITEM = 'block truncate rounded-md px-2 py-1.5 outline-none data-highlighted:bg-highlight'

interface RowMenuProps {
  /** The record of the row that an element belongs to; null outside of all rows. */
  findRecord: (element: Element) => RequestRecord | null
  onOpen: (id: string) => void
  children: ReactNode
}

/** The menu of a row, which the secondary button of the mouse and the menu key open. */
export function RowMenu({ findRecord, onOpen, children }: RowMenuProps) {
  const [record, setRecord] = useState<RequestRecord | null>(null)
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger
        asChild
        onContextMenu={(event) => {
          const found = event.target instanceof Element ? findRecord(event.target) : null
          setRecord(found)
          // Outside of the rows, the window's own menu opens.
          if (!found) event.stopPropagation()
        }}
      >
        {children}
      </ContextMenu.Trigger>
      {record ? (
        <ContextMenu.Portal>
          <ContextMenu.Content
            aria-label="Request"
            collisionPadding={8}
            className="z-50 min-w-40 max-w-80 animate-rise overflow-hidden rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <ContextMenu.Item className={ITEM} onSelect={() => onOpen(record.id)}>
              Open
            </ContextMenu.Item>
            <ContextMenu.Item className={ITEM} onSelect={() => void copyText(record.id)}>
              Copy ID
            </ContextMenu.Item>
            <ContextMenu.Separator className="my-1 h-px bg-line" />
            {listFilters(record).map(({ label, href }) => (
              <ContextMenu.Item key={label} asChild className={ITEM}>
                <Link href={href}>{label}</Link>
              </ContextMenu.Item>
            ))}
          </ContextMenu.Content>
        </ContextMenu.Portal>
      ) : null}
    </ContextMenu.Root>
  )
}

/** The logs of what the request has in common with others. */
function listFilters({
  keyId,
  model,
  provider,
  sessionId,
}: RequestRecord): { label: string; href: string }[] {
  const filters: [string, string, string | null][] = [
    ['key', 'key', keyId],
    ['model', 'model', model],
    ['provider', 'provider', provider],
    ['session', 'session', sessionId],
  ]
  return filters.flatMap(([what, name, value]) =>
    value === null
      ? []
      : [{ label: `Only this ${what}`, href: `/requests?${name}=${encodeURIComponent(value)}` }],
  )
}
