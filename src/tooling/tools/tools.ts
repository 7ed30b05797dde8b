// Owns which real tools Connect's texts are tried with: pinned packages, and how each is asked one thing without a screen.

export interface Tool {
  /** Of its text under Connect. */
  id: string
  /** What is installed from the npm registry, each at an exact version; nothing for what this project has anyway. */
  packages: readonly string[]
  /**
   * What asks it, once Connect's text was followed, so that it runs what the model calls without asking. Null where the
   * text itself asks.
   */
  ask: ((prompt: string, model: string) => readonly string[]) | null
  /** What an agent calls its tool that runs commands; null for what has none. */
  shell: string | null
}

/** Where a package has nothing but a program for each platform, that of this one: no install script has to pick it. */
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

export const tools: readonly Tool[] = [
  { id: 'curl', packages: [], ask: null, shell: null },
  { id: 'node', packages: [], ask: () => ['node', 'hello.mjs'], shell: null },
  { id: 'ai-sdk', packages: [], ask: () => ['node', 'hello.ts'], shell: null },
  { id: 'langchain', packages: [], ask: () => ['node', 'hello.ts'], shell: null },
  {
    id: 'continue',
    packages: ['@continuedev/cli@1.5.47'],
    ask: (prompt) => ['cn', '--auto', '-p', prompt],
    shell: 'Bash',
  },
  { id: 'cline', packages: ['cline@3.0.65'], ask: (prompt) => ['cline', prompt], shell: 'run_commands' },
  {
    id: 'opencode',
    packages: [`opencode-${platform}@1.18.33`],
    ask: (prompt, model) => ['opencode', 'run', '-m', `tollgate/${model}`, prompt],
    shell: 'bash',
  },
  {
    id: 'kilo',
    packages: [`@kilocode/cli-${platform}@7.7.9`],
    ask: (prompt, model) => ['kilo', 'run', '-m', `tollgate/${model}`, prompt],
    shell: 'bash',
  },
  {
    id: 'qwen',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    ask: (prompt) => ['qwen', '--yolo', '-p', prompt],
    shell: 'run_shell_command',
  },
  {
    id: 'copilot',
    packages: ['@github/copilot@1.0.102'],
    ask: (prompt) => ['copilot', '--allow-all-tools', '-p', prompt],
    shell: 'bash',
  },
  {
    id: 'pi',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    ask: (prompt, model) => ['pi', '--provider', 'tollgate', '--model', model, '-p', prompt],
    shell: 'bash',
  },
]
