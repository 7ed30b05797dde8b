import { Wrench } from 'lucide-react'
import { Field, TextArea } from '../../kit/field.tsx'
import type { ToolUse } from '../chats/chat-storage.ts'

/** The typed results of an answer's tool calls, by the id of the call. */
export interface ResultTexts {
  texts: ReadonlyMap<string, string>
  onChange: (callId: string, text: string) => void
  onSend: () => void
}

interface ToolUsesProps {
  uses: readonly ToolUse[]
  /** Null when no results are expected. */
  results: ResultTexts | null
}

/** The tool calls of an answer. Tools are never run: the user types their results. */
export function ToolUses({ uses, results }: ToolUsesProps) {
  return (
    <ul aria-label="Tool calls" className="mt-2 flex flex-col gap-2">
      {uses.map((use, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are identified by their order
          key={index}
          className="overflow-hidden rounded-lg border border-line bg-surface"
        >
          <ToolHeader name={use.name} id={use.id} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
          <pre tabIndex={0} className="overflow-x-auto px-3 py-2 font-mono text-sm -outline-offset-2">
            {formatJson(use.arguments)}
          </pre>
          {results ? <ResultField use={use} results={results} /> : null}
        </li>
      ))}
    </ul>
  )
}

export function ToolHeader({ name, id }: { name: string; id: string }) {
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
        {(attributes) => (
          <TextArea
            {...attributes}
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

/** Returns the text unchanged if it is not JSON: streaming arguments are incomplete, and results may be plain text. */
export function formatJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
