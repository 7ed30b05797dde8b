// Owns what chat applications need to call the gateway, as their own documentation gives it. Pure text.
import { quoteShell, quoteYaml } from './quoting.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

const CONTAINER =
  'In a container, 127.0.0.1 is the container itself. Run it on the host’s network (on Linux: --network host), or without a container.'

export function buildChatAppSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  return [
    {
      id: 'open-webui',
      name: 'Open WebUI',
      group: 'chat',
      intro: 'It reads the list of models by itself.',
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
      intro: 'Merge this into the file. LibreChat refuses private addresses unless they are allowed by name.',
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
