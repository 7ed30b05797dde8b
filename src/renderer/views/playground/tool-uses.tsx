// Owns the tools that an answer calls, with their arguments. They are shown, never run: what they give is typed in.
import { Wrench } from 'lucide-react'
import { Field, TextArea } from '../../components/field.tsx'
import type { ToolUse } from '../../playground/chat-storage.ts'

/** What is typed as the results of an answer's calls, by the call's id. */
export interface ResultTexts {
  texts: ReadonlyMap<string, string>
  onChange: (callId: string, text: string) => void
  onSend: () => void
}

interface ToolUsesProps {
  uses: readonly ToolUse[]
  /** Null when no results are asked for. */
  results: ResultTexts | null
}

export function ToolUses({ uses, results }: ToolUsesProps) {
  return (
    <ul aria-label="Tool calls" className="mt-2 flex flex-col gap-2">
      {uses.map((use, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are numbered by their order
          key={index}
          className="overflow-hidden rounded-lg border border-line bg-surface"
        >
          <ToolHead name={use.name} id={use.id} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
          <pre tabIndex={0} className="overflow-x-auto px-3 py-2 font-mono text-sm -outline-offset-2">
            {indented(use.arguments)}
          </pre>
          {results ? <ResultField use={use} results={results} /> : null}
        </li>
      ))}
    </ul>
  )
}

export function ToolHead({ name, id }: { name: string; id: string }) {
  return (
    <p className="flex items-center gap-2 border-line border-b bg-canvas px-3 py-1.5 text-sm">
      <Wrench size={13} aria-hidden className="shrink-0 text-ink-3" />
      <span className="truncate font-medium font-mono">{name}</span>
      <span className="ml-auto truncate font-mono text-ink-3 text-xs">{id}</span>
    </p>
  )
}

function ResultField({ use, results }: { use: ToolUse; results: ResultTexts }) {
  const text = results.texts.get(use.id) ?? ''
  return (
    <div className="border-line border-t px-3 py-2.5">
      <Field label={`Result of ${use.name}`}>
        {(tie) => (
          <TextArea
            {...tie}
            rows={Math.min(8, Math.max(2, text.split('\n').length))}
            spellCheck={false}
            value={text}
            placeholder="JSON or text"
            onChange={(event) => results.onChange(use.id, event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
              event.preventDefault()
              results.onSend()
            }}
            className="font-mono text-sm"
          />
        )}
      </Field>
    </div>
  )
}

/** While they stream, and when a model writes them wrong, arguments are no JSON yet. Results need not be JSON at all. */
export function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
