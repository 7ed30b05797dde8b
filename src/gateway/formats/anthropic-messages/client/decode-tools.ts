import type { ChatRequest, Tool } from '../../../../shared/chat.ts'
import type { MessagesRequest } from '../../../../shared/messages.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { cacheControl } from './decode-parts.ts'

type Given = Pick<MessagesRequest, 'tools' | 'tool_choice'>
type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>

const CUSTOM: readonly unknown[] = ['custom', undefined, null]

/** Tools that Anthropic defines and the client runs, so that their results are in the body. */
const CLIENT_TOOLS = /^(bash|browser_toolset|computer|computer_toolset|memory|text_editor)_\d+$/

/** Tools that the client defines. Those that Anthropic defines or runs need a model that is trained on them. */
function decodeTools(tools: Given['tools'], refused: Untranslatable): Tool[] {
  return (tools ?? []).flatMap((tool, at): Tool[] => {
    const { type, name, description, input_schema: parameters, strict } = tool
    if (!CUSTOM.includes(type)) {
      refused.add(`the tool "${type}"`, `tools[${at}].type`, { external: !CLIENT_TOOLS.test(type ?? '') })
      return []
    }
    if (!name)
      throw invalidRequest(`Invalid value for "tools[${at}].name": it is required.`, {
        param: `tools[${at}].name`,
      })
    return [
      {
        type: 'function',
        function: {
          name,
          ...(description && { description }),
          ...(parameters && { parameters }),
          ...(strict && { strict }),
        },
        ...cacheControl(tool),
      },
    ]
  })
}

function decodeChoice(choice: NonNullable<Given['tool_choice']>): ChatRequest['tool_choice'] {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool':
      if (choice.name) return { type: 'function', function: { name: choice.name } }
      throw invalidRequest('A tool choice of the type "tool" needs the name of the tool.', {
        param: 'tool_choice.name',
      })
    default:
      throw invalidRequest('"tool_choice.type" must be "auto", "any", "tool" or "none".', {
        param: 'tool_choice.type',
      })
  }
}

export function decodeToolUse(
  { tools: given, tool_choice: choice }: Given,
  refused: Untranslatable,
): ToolFields {
  const tools = decodeTools(given, refused)
  if (tools.length === 0) return {}
  return {
    tools,
    ...(choice && { tool_choice: decodeChoice(choice) }),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}
