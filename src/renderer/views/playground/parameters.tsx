// Owns what is asked of the models besides the messages: system prompt, temperature, most tokens, tools.
import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { Button, IconButton } from '../../components/button.tsx'
import { Field, TextArea, TextField } from '../../components/field.tsx'
import { PopoverPanel } from '../../components/popover-panel.tsx'
import { parseCount } from '../../number-input.ts'
import type { Chat, ChatSettings } from '../../playground/chat-storage.ts'
import { parseExtraFields } from '../../playground/parse-extra-fields.ts'
import { EXAMPLE_TOOLS, parseTools } from '../../playground/parse-tools.ts'

interface ParametersProps {
  chat: Chat
  /** Those that are asked. */
  models: readonly string[]
  onChange: (part: Partial<ChatSettings>) => void
}

export function Parameters({ chat, models, onChange }: ParametersProps) {
  const most = parseCount(chat.maxTokens)
  const heat = Number(chat.temperature)
  const heatIsGood = chat.temperature.trim() === '' || (heat >= 0 && heat <= 2)
  const tools = parseTools(chat.tools)
  const extra = parseExtraFields(chat.extra)
  const sandbox = models.some((model) => model.startsWith('sandbox'))
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label="Parameters" icon={SlidersHorizontal} />
      </Popover.Trigger>
      <PopoverPanel
        align="end"
        aria-label="Parameters"
        className="flex max-h-(--radix-popover-content-available-height) w-96 flex-col gap-4 overflow-y-auto p-4"
      >
        <Field label="System prompt">
          {(tie) => (
            <TextArea
              {...tie}
              rows={4}
              value={chat.system}
              placeholder="None"
              onChange={(event) => onChange({ system: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Temperature"
            inputMode="decimal"
            placeholder="Model’s own"
            value={chat.temperature}
            onChange={(temperature) => onChange({ temperature })}
            error={heatIsGood ? null : 'From 0 to 2.'}
          />
          <TextField
            label="Max tokens"
            inputMode="numeric"
            placeholder="Model’s own"
            value={chat.maxTokens}
            onChange={(maxTokens) => onChange({ maxTokens })}
            error={most.ok ? null : 'A whole number.'}
          />
        </div>
        <Field
          label="Tools"
          error={tools.ok ? null : tools.message}
          hint={
            tools.ok && tools.tools.length > 0
              ? `${tools.tools.length === 1 ? '1 tool' : `${tools.tools.length} tools`}. You type what they give.${sandbox ? ' The sandbox calls one on [[sandbox:tool NAME]] in the message.' : ''}`
              : 'A JSON list in the chat-completions format.'
          }
        >
          {(tie) => (
            <TextArea
              {...tie}
              rows={6}
              spellCheck={false}
              value={chat.tools}
              placeholder="None"
              onChange={(event) => onChange({ tools: event.target.value })}
              className="font-mono text-sm"
            />
          )}
        </Field>
        {chat.tools.trim() === '' ? (
          <Button
            small
            variant="quiet"
            className="-mt-3 self-start"
            onClick={() => onChange({ tools: EXAMPLE_TOOLS })}
          >
            Insert an example
          </Button>
        ) : null}
        <Field
          label="Other parameters"
          error={extra.ok ? null : extra.message}
          hint="A JSON object of further request fields, such as top_p or stop."
        >
          {(tie) => (
            <TextArea
              {...tie}
              rows={3}
              spellCheck={false}
              value={chat.extra}
              placeholder="None"
              onChange={(event) => onChange({ extra: event.target.value })}
              className="font-mono text-sm"
            />
          )}
        </Field>
      </PopoverPanel>
    </Popover.Root>
  )
}
