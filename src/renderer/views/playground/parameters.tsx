// Owns what is asked of the model besides the messages: system prompt, temperature, most tokens.
import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { IconButton } from '../../components/button.tsx'
import { Field, TextArea, TextField } from '../../components/field.tsx'
import type { Chat } from '../../stores/chats-kept.ts'
import { parseCount } from '../../usd-input.ts'

interface ParametersProps {
  chat: Chat
  onChange: (part: Partial<Pick<Chat, 'system' | 'temperature' | 'maxTokens'>>) => void
}

export function Parameters({ chat, onChange }: ParametersProps) {
  const most = parseCount(chat.maxTokens)
  const heat = Number(chat.temperature)
  const heatIsGood = chat.temperature.trim() === '' || (heat >= 0 && heat <= 2)
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label="Parameters" icon={SlidersHorizontal} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 flex w-88 animate-rise flex-col gap-4 rounded-lg border border-line bg-raised p-4 shadow-float"
        >
          <Field label="System prompt">
            {(tie) => (
              <TextArea
                {...tie}
                rows={5}
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
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
