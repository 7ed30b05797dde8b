import { Braces } from 'lucide-react'
import { Dialog, Tabs } from 'radix-ui'
import type { ReactNode } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import { create } from 'zustand'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { getOrigin } from '../../../shared/tools/tool-config.ts'
import { api } from '../../data/api.ts'
import { useBaseUrl } from '../../data/hooks.ts'
import { type ApiError, toApiError } from '../../kit/api-error.ts'
import { copyText } from '../../kit/copy.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { ListPanel, PanelButtons } from '../../kit/list-panel.tsx'
import { Menu } from '../../kit/menu.tsx'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { showError } from '../../kit/show-error.ts'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { NotStored } from '../../parts/requests/not-stored.tsx'
import { useRequestBodies } from '../../parts/requests/request-bodies.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  createPlaceholderBody,
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'
import { Conversation } from './conversation.tsx'
import { RawBody } from './raw-body.tsx'
import { RequestFacts } from './request-facts.tsx'

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

interface StoredContentProps {
  record: RequestRecord
  children: (bodies: RequestBodies) => ReactNode
}

/** Shows the stored prompt and answer, or why there are none. */
function StoredContent({ record, children }: StoredContentProps) {
  const { data, error, refetch } = useRequestBodies(record)
  if (!record.bodiesKept) return <NotStored record={record} />
  if (data) return children(data)
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />
}

const DetailTab = z.enum(['overview', 'messages', 'request', 'response'])
type DetailTab = z.infer<typeof DetailTab>

const DETAIL_TABS: readonly { id: DetailTab; name: string }[] = [
  { id: 'overview', name: 'Overview' },
  { id: 'messages', name: 'Messages' },
  { id: 'request', name: 'Raw request' },
  { id: 'response', name: 'Raw response' },
]

const SLOT = 'tollgate.wide-request-panel'

interface DetailLayout {
  tab: DetailTab
  /** Covers most of the list, for reading. */
  wide: boolean
  setTab(tab: DetailTab): void
  toggleWide(): void
}

/** Stays the same from one request to the next. The width is also kept for the next start. */
const useDetailLayout = create<DetailLayout>()((set, get) => ({
  tab: 'overview',
  wide: localStorage.getItem(SLOT) !== null,
  setTab: (tab) => set({ tab }),
  toggleWide() {
    const wide = !get().wide
    if (wide) localStorage.setItem(SLOT, '1')
    else localStorage.removeItem(SLOT)
    set({ wide })
  },
}))

/** Copies a request as code that sends it again. */
function CopyAsMenu({ record }: { record: RequestRecord }) {
  const origin = getOrigin(useBaseUrl() ?? DEFAULT_BASE_URL)
  const copy = async (kind: RequestCodeKind) => {
    const endpoint = record.endpoint ?? 'POST /v1/chat/completions'
    try {
      const stored = await readBody(record)
      const body = stored ?? createPlaceholderBody(endpoint, record.requestedModel ?? record.model ?? 'MODEL')
      if (!(await copyText(writeRequestCode(kind, { endpoint, body }, origin)))) return
      toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`, {
        description: stored ? undefined : 'The prompt was not stored, so it has a placeholder message.',
      })
    } catch (thrown) {
      showError(`The request could not be copied: ${toApiError(thrown).message}`)
    }
  }
  return (
    <Menu
      label="Copy as code"
      trigger={<IconButton label="Copy as code" icon={Braces} small />}
      items={REQUEST_CODE_KINDS.map((kind) => ({
        label: `Copy as ${kind}`,
        onSelect: () => void copy(kind),
      }))}
    />
  )
}

/** Null when the request was not stored, or is no JSON. Throws ApiError. */
async function readBody({ id, bodiesKept }: RequestRecord): Promise<unknown> {
  if (!bodiesKept) return null
  const { request } = await api('getRequestBodies', { params: { id } })
  try {
    return JSON.parse(request ?? 'null')
  } catch {
    return null
  }
}
