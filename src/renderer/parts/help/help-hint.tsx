import { CircleQuestionMark } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { HelpHref } from '../../../shared/desktop/views.ts'
import { lazyView } from '../../kit/lazy-view.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'

interface Hint {
  term: string
  page: HelpHref
  /** The heading of the section that explains it. */
  heading: string
}

/** The terms that are explained where they are used. */
export const HINTS = {
  reserved: { term: 'reserved amounts', page: '/help/money', heading: 'Caps' },
  cost: { term: 'the cost of a request', page: '/help/money', heading: 'Buckets' },
  strict: { term: 'strict keys', page: '/help/caps', heading: 'Strict keys' },
  caching: { term: 'prompt caches', page: '/help/caching', heading: 'Prompt caches' },
  session: { term: 'sessions', page: '/help/sessions', heading: 'How a request finds its session' },
} as const satisfies Record<string, Hint>

const section = lazyView(
  async () => (await import('./document.tsx')).HelpSection,
  () => <Skeleton className="h-20" />,
)

/** A question mark next to a term. It opens the paragraph of the help that explains it. */
export function HelpHint({ of }: { of: keyof typeof HINTS }) {
  const hint = HINTS[of]
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={`About ${hint.term}`}
        title={`About ${hint.term}`}
        className="target -my-1 inline-flex size-5 shrink-0 items-center justify-center rounded-full align-[-3px] text-ink-3 hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken"
      >
        <CircleQuestionMark size={13} aria-hidden />
      </Popover.Trigger>
      <PopoverPanel align="start" aria-label={`About ${hint.term}`} className="w-88 p-4 text-sm">
        <section.View page={hint.page} heading={hint.heading} />
      </PopoverPanel>
    </Popover.Root>
  )
}
