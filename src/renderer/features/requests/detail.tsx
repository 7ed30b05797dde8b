import { Dialog, Tabs } from 'radix-ui'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { ListPanel, PanelButtons } from '../../kit/list-panel.tsx'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { Conversation } from './conversation.tsx'
import { CopyAsMenu } from './copy-as-menu.tsx'
import { DETAIL_TABS, DetailTab, useDetailLayout } from './detail-layout.ts'
import { RawBody } from './raw-body.tsx'
import { RequestFacts } from './request-facts.tsx'
import { StoredContent } from './stored-content.tsx'

interface DetailProps {
  /** Null while none is open. */
  id: string | null
  /** Undefined until it has been read. */
  record: RequestRecord | undefined
  error: ApiError | null
  onRetry: () => void
  onClose: () => void
}

export function Detail({ id, record, error, onRetry, onClose }: DetailProps) {
  const { tab, wide, setTab, toggleWide } = useDetailLayout()
  return (
    <ListPanel
      open={id !== null}
      wide={wide}
      width="w-[440px]"
      onClose={onClose}
      onReturnFocus={returnFocusToList}
    >
      <Tabs.Root
        value={tab}
        onValueChange={(value) => setTab(DetailTab.catch('overview').parse(value))}
        className="flex min-h-0 flex-1 flex-col"
      >
        <header className="flex h-14 shrink-0 items-center gap-1 pr-3 pl-5">
          <Dialog.Title className="mr-auto font-semibold text-lg">Request</Dialog.Title>
          {record ? <CopyAsMenu record={record} /> : null}
          {id === null ? null : <CopyLink key={id} kind="requests" id={id} />}
          <PanelButtons wide={wide} onToggleWide={toggleWide} onClose={onClose} />
        </header>
        <Tabs.List
          aria-label="Parts of the request"
          className="flex shrink-0 gap-3 overflow-x-auto overflow-y-hidden px-4 shadow-[inset_0_-1px_0_var(--line)]"
        >
          {DETAIL_TABS.map(({ id: value, name }) => (
            <Tabs.Trigger
              key={value}
              value={value}
              className="h-9 shrink-0 border-transparent px-1 border-b-2 font-medium text-ink-2 text-sm -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {DETAIL_TABS.map(({ id: value }) => (
          <Tabs.Content
            key={value}
            value={value}
            className="min-h-0 flex-1 overflow-y-auto bg-raised -outline-offset-2 [scrollbar-gutter:stable]"
          >
            {id && record ? <TabBody key={id} tab={value} record={record} /> : null}
            {id && !record && error ? <LoadError error={error} onRetry={onRetry} /> : null}
            {id && !record && !error ? <SkeletonRows rows={8} /> : null}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </ListPanel>
  )
}

function TabBody({ tab, record }: { tab: DetailTab; record: RequestRecord }) {
  if (tab === 'overview') {
    return (
      <div className="p-5">
        <RequestFacts record={record} />
      </div>
    )
  }
  return (
    <StoredContent record={record}>
      {(bodies) =>
        tab === 'messages' ? (
          <Conversation record={record} bodies={bodies} />
        ) : (
          <RawBody text={bodies[tab]} name={tab} />
        )
      }
    </StoredContent>
  )
}

/** After closing the panel from within it, the user continues in the list. */
function returnFocusToList(): void {
  if (document.activeElement !== document.body && document.activeElement !== null) return
  document.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true })
}
