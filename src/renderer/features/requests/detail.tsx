import { Braces, WrapText } from 'lucide-react'
import { Dialog, Tabs } from 'radix-ui'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import { create } from 'zustand'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { getOrigin } from '../../../shared/tools/tool-config.ts'
import { api } from '../../data/api.ts'
import { useBaseUrl } from '../../data/hooks.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton, copyText } from '../../kit/copy.tsx'
import { formatBytes } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ListPanel, PanelButtons } from '../../kit/list-panel.tsx'
import { Menu } from '../../kit/menu.tsx'
import { LoadError, QueryState, SkeletonRows } from '../../kit/notice.tsx'
import { showError } from '../../kit/show-error.ts'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { NotStored, useRequestBodies } from '../../parts/requests/not-stored.tsx'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  createPlaceholderBody,
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'
import { Conversation } from './conversation.tsx'
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
    <ListPanel open={id !== null} wide={wide} width="w-[440px]" onClose={onClose}>
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
          className="flex shrink-0 gap-3 overflow-x-auto overflow-y-hidden px-4 shadow-[inset_0_-1px_0_var(--color-line)]"
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

interface StoredContentProps {
  record: RequestRecord
  children: (bodies: RequestBodies) => ReactNode
}

/** Shows the stored prompt and answer, or why there are none. */
function StoredContent({ record, children }: StoredContentProps) {
  const reading = useRequestBodies(record)
  if (!record.bodiesKept) return <NotStored record={record} />
  return reading.data ? children(reading.data) : <QueryState query={reading} rows={8} />
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
      showError(thrown, 'The request could not be copied')
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

/** A stored body: JSON with line breaks, anything else as it was. */
const RawBody = memo(function RawBody({ text, name }: { text: string | null; name: string }) {
  const [wrap, setWrap] = useState(true)
  const formatted = useMemo(() => formatBody(text ?? ''), [text])
  const blocks = useMemo(() => splitIntoBlocks(formatted.text), [formatted])
  if (text === null || text === '') {
    return <p className="px-5 py-10 text-center text-ink-2">{`This ${name} has no body.`}</p>
  }
  return (
    <div className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 flex items-center gap-2 border-line border-b bg-raised py-2 pr-3 pl-5">
        <span className="text-ink-3 text-sm">
          {formatted.kind}, {formatBytes(new Blob([text]).size)}
        </span>
        <span className="ml-auto" />
        <Button
          small
          variant="quiet"
          icon={WrapText}
          aria-pressed={wrap}
          onClick={() => setWrap(!wrap)}
          className="aria-pressed:bg-sunken aria-pressed:text-ink"
        >
          Wrap lines
        </Button>
        <CopyIconButton text={text} label={`Copy ${name}`} />
      </div>
      <pre
        className={cn(
          'min-w-0 flex-1 px-5 py-3 font-mono text-sm',
          wrap ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'overflow-x-auto whitespace-pre',
        )}
      >
        <code>
          {blocks.map(({ text: block, lines }, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity other than their position
              key={index}
              className="block [content-visibility:auto]"
              // Blocks out of sight are neither laid out nor painted, so that a large body opens immediately.
              style={{ containIntrinsicBlockSize: `auto ${lines * LINE_PX}px` }}
            >
              {block}
            </span>
          ))}
        </code>
      </pre>
    </div>
  )
})

const LINE_PX = 18

/** The text of a body as it is shown. */
export function formatBody(text: string): { kind: string; text: string } {
  try {
    return { kind: 'JSON', text: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return { kind: /^(event|data|:)/.test(text) ? 'Event stream' : 'Text', text }
  }
}

interface TextBlock {
  text: string
  /** How many lines it has at least. */
  lines: number
}

const BLOCK_CHARS = 4_000

/** Cuts a text after lines, and within a line that is longer than a block. */
export function splitIntoBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = []
  for (let start = 0; start < text.length; ) {
    const limit = start + BLOCK_CHARS
    const lineEnd = text.lastIndexOf('\n', limit)
    // Not between the halves of a character.
    const cut = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
    const end = limit >= text.length ? text.length : lineEnd > start ? lineEnd + 1 : cut
    const part = text.slice(start, end)
    // A block ends its line by itself.
    const block = part.endsWith('\n') ? part.slice(0, -1) : part
    blocks.push({ text: block === '' ? '\n' : block, lines: part.split('\n').length })
    start = end
  }
  return blocks
}
