// Owns the tools that an answer calls, with their arguments. They are shown, never run.
import { Wrench } from 'lucide-react'
import type { ToolUse } from '../../stores/chats-kept.ts'

export function ToolUses({ uses }: { uses: readonly ToolUse[] }) {
  return (
    <ul aria-label="Tool calls" className="mt-2 flex flex-col gap-2">
      {uses.map((use, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are numbered by their order
          key={index}
          className="overflow-hidden rounded-lg border border-line bg-surface"
        >
          <p className="flex items-center gap-2 border-line border-b bg-canvas px-3 py-1.5 text-sm">
            <Wrench size={13} aria-hidden className="shrink-0 text-ink-3" />
            <span className="truncate font-medium font-mono">{use.name}</span>
            <span className="ml-auto truncate font-mono text-ink-3 text-xs">{use.id}</span>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
          <pre tabIndex={0} className="overflow-x-auto px-3 py-2 font-mono text-sm -outline-offset-2">
            {indented(use.arguments)}
          </pre>
        </li>
      ))}
    </ul>
  )
}

/** While they stream, and when a model writes them wrong, arguments are no JSON yet. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
