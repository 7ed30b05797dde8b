// Owns which real tools Connect's texts are tried with: pinned packages, and how each is asked one thing without a screen.

export const PROMPT = 'Say hello.'

export interface Tool {
  /** Of its text under Connect. */
  id: string
  /** What is installed from the npm registry, each at an exact version; nothing for what this project has anyway. */
  packages: readonly string[]
  /** What asks it, once Connect's text was followed; null where the text itself does. A word of it may be the model. */
  ask: ((model: string) => readonly string[]) | null
}

/** Where a package has nothing but a program for each platform, that of this one: no install script has to pick it. */
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

export const tools: readonly Tool[] = [
  { id: 'curl', packages: [], ask: null },
  { id: 'node', packages: [], ask: () => ['node', 'hello.mjs'] },
  { id: 'ai-sdk', packages: [], ask: () => ['node', 'hello.ts'] },
  { id: 'langchain', packages: [], ask: () => ['node', 'hello.ts'] },
  { id: 'continue', packages: ['@continuedev/cli@1.5.47'], ask: () => ['cn', '-p', PROMPT] },
  { id: 'cline', packages: ['cline@3.0.65'], ask: () => ['cline', PROMPT] },
  {
    id: 'opencode',
    packages: [`opencode-${platform}@1.18.33`],
    ask: (model) => ['opencode', 'run', '-m', `tollgate/${model}`, PROMPT],
  },
  {
    id: 'kilo',
    packages: [`@kilocode/cli-${platform}@7.7.9`],
    ask: (model) => ['kilo', 'run', '-m', `tollgate/${model}`, PROMPT],
  },
  { id: 'qwen', packages: ['@qwen-code/qwen-code@0.24.4'], ask: () => ['qwen', '-p', PROMPT] },
  // Its text ends with the program itself.
  { id: 'copilot', packages: ['@github/copilot@1.0.102'], ask: () => ['copilot', '-p', PROMPT] },
  {
    id: 'pi',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    ask: (model) => ['pi', '--provider', 'tollgate', '--model', model, '-p', PROMPT],
  },
]
