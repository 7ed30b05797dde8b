// Owns writing a question, or what tools gave, anew. Asking makes a branch.
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, TextArea } from '../../components/field.tsx'
import type { Exchange, ToolResult } from '../../playground/chat-storage.ts'

interface EditQuestionProps {
  exchange: Exchange
  onCancel: () => void
  onAsk: (text: string, results: ToolResult[]) => void
}

export function EditQuestion({ exchange, onCancel, onAsk }: EditQuestionProps) {
  const [text, setText] = useState(exchange.text)
  const [results, setResults] = useState(exchange.results)
  const asksInWords = results.length === 0 || exchange.text !== '' || exchange.images.length > 0
  const said = text.trim() !== '' || exchange.images.length > 0 || !asksInWords
  const ready = said && results.every(({ content }) => content.trim() !== '')
  const ask = () => onAsk(text.trim(), results)
  const onKeyDown = (event: KeyboardEvent, byCtrl: boolean) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
    const meant = byCtrl ? event.ctrlKey || event.metaKey : !event.shiftKey
    if (event.key !== 'Enter' || !meant || event.nativeEvent.isComposing || !ready) return
    event.preventDefault()
    ask()
  }
  return (
    <div className="flex w-[85%] flex-col gap-2 self-end">
      {results.map((result, index) => (
        <Field key={`${result.column} ${result.callId}`} label={`Result of ${result.name}`}>
          {(tie) => (
            <TextArea
              {...tie}
              autoFocus={index === 0}
              rows={Math.min(8, result.content.split('\n').length + 1)}
              spellCheck={false}
              value={result.content}
              onChange={({ target }) => setResults(results.with(index, { ...result, content: target.value }))}
              onKeyDown={(event) => onKeyDown(event, true)}
              className="font-mono text-sm"
            />
          )}
        </Field>
      ))}
      {asksInWords ? (
        <TextArea
          aria-label="Question"
          autoFocus={results.length === 0}
          rows={Math.min(10, text.split('\n').length + 1)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => onKeyDown(event, false)}
        />
      ) : null}
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-ink-3 text-sm">This makes a branch; the answers so far stay.</p>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
        <Button small variant="primary" disabled={!ready} onClick={ask}>
          Ask again
        </Button>
      </div>
    </div>
  )
}
