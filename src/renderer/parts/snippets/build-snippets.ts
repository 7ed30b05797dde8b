import { buildAgentSnippets } from './agent-snippets.ts'
import { buildCodeSnippets } from './code-snippets.ts'
import { quoteShell, quoteYaml } from './quoting.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

/** The base URL with the default port. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8655/v1'

/** The most used tools first. */
export function buildSnippets(input: SnippetInput): Snippet[] {
  return [...buildAgentSnippets(input), ...buildCodeSnippets(input), ...buildChatAppSnippets(input)]
}

// The configuration with which chat applications call the gateway, according to their own documentation.

const CONTAINER =
  'Inside a container, 127.0.0.1 is the container itself. “From a container” below says which base URL to use there.'

function buildChatAppSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  return [
    {
      id: 'open-webui',
      name: 'Open WebUI',
      group: 'chat',
      intro: 'It fetches the list of models itself.',
      caution: CONTAINER,
      blocks: [
        {
          title: 'Terminal',
          code: [
            `export OPENAI_API_BASE_URLS=${quoteShell(baseUrl)}`,
            `export OPENAI_API_KEYS=${quoteShell(secret)}`,
            'open-webui serve',
          ].join('\n'),
        },
      ],
    },
    {
      id: 'librechat',
      name: 'LibreChat',
      group: 'chat',
      intro: 'Merge this into the file. LibreChat rejects private addresses that are not on its allow list.',
      caution: CONTAINER,
      blocks: [
        {
          title: 'librechat.yaml',
          code: `endpoints:
  allowedAddresses:
    - ${quoteYaml(new URL(baseUrl).host)}
  custom:
    - name: Tollgate
      apiKey: ${quoteYaml(secret)}
      baseURL: ${quoteYaml(baseUrl)}
      models:
        default:
          - ${quoteYaml(model)}
        fetch: true
      titleConvo: true
      titleModel: ${quoteYaml(model)}`,
        },
      ],
    },
  ]
}
