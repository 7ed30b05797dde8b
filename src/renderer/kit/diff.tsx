import type { DiffLine } from '../../shared/tools/tool-setup.ts'
import { cn } from './cn.ts'

const signs: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', gap: '' }
const lineClasses: Record<DiffLine['kind'], string> = {
  same: 'text-ink-2',
  added: 'bg-good-soft',
  removed: 'bg-bad-soft',
  gap: 'text-ink-3',
}

/** The changed lines of a file, if any. */
export function Diff({ title, note, lines }: { title: string; note: string; lines: readonly DiffLine[] }) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-surface">
      <figcaption className="flex h-9 items-center justify-between gap-3 border-line bg-canvas px-3 text-ink-2 text-sm not-last:border-b">
        <span className="truncate font-mono">{title}</span>
        <span className="shrink-0 text-ink-3">{note}</span>
      </figcaption>
      {lines.length > 0 ? <Lines lines={lines} /> : null}
    </figure>
  )
}

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
    <pre tabIndex={0} className="max-h-72 overflow-auto py-2 font-mono text-sm -outline-offset-2">
      <code className="block w-max min-w-full">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity other than their position
          <span key={index} className={cn('flex px-3', lineClasses[kind])}>
            <span className="w-5 shrink-0 select-none text-ink-3">{signs[kind]}</span>
            <span>{kind === 'gap' ? '…' : text || ' '}</span>
          </span>
        ))}
      </code>
    </pre>
  )
}
