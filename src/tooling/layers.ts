// Owns the table of who may import whom, and how a file's imports are held against it. Pure: files come in as text.

interface Room {
  /** Rooms and single files under `src` that this room may import, besides itself. */
  rooms: readonly string[]
  /** Packages it may import; a name covers the package's own sub-paths. */
  packages: readonly string[]
  /** Whether it may import Node's own modules: any, none, or those named. */
  node: boolean | readonly string[]
}

/** Which rooms there are. The most specific one that holds a file is the file's room. */
const ROOMS: Readonly<Record<string, Room>> = {
  shared: { rooms: [], packages: ['zod'], node: false },
  gateway: {
    rooms: ['shared', 'gateway/formats', 'gateway/store'],
    packages: [
      '@pydantic/genai-prices',
      'eventsource-parser',
      'fastify',
      'gpt-tokenizer',
      'light-my-request',
      'undici',
      'zod',
    ],
    node: true,
  },
  'gateway/formats': {
    rooms: ['shared', 'gateway/platform/clock.ts'],
    packages: ['eventsource-parser', 'zod'],
    node: ['node:buffer', 'node:crypto'],
  },
  'gateway/store': {
    rooms: ['shared', 'gateway/platform/clock.ts', 'gateway/platform/log.ts'],
    packages: ['better-sqlite3', 'zod'],
    node: true,
  },
  host: {
    rooms: ['shared', 'gateway', 'gateway/store'],
    packages: ['@github/keytar', 'zod'],
    node: true,
  },
  main: { rooms: ['shared', 'host'], packages: ['electron', 'zod'], node: true },
  preload: { rooms: ['shared/desktop.ts'], packages: ['electron', 'zod'], node: false },
  renderer: {
    rooms: ['shared'],
    packages: [
      '@streamdown/code',
      '@streamdown/math',
      '@tanstack/react-query',
      'cmdk',
      'eventsource-parser',
      'lucide-react',
      'radix-ui',
      'react',
      'react-dom',
      'sonner',
      'streamdown',
      'tailwindcss',
      'wouter',
      'zod',
      'zustand',
    ],
    node: false,
  },
}

/** Scripts, and the tests of the running program, are not part of the app: these files may import what they need. */
const OUTSIDE = ['contract', 'tooling', 'layers.test.ts']

/** What tests, and the `testing` folders they share, may import on top of their room. */
const TEST_PACKAGES = [
  '@anthropic-ai/sdk',
  '@copilotkit/aimock',
  '@google/genai',
  '@testing-library/react',
  '@testing-library/user-event',
  'fast-check',
  'js-yaml',
  'openai',
  'undici',
  'vitest',
  'zod',
]

/**
 * One sentence for every import that the table does not allow. `files`: paths relative to `src`, with `/`, to source
 * text. Type imports count like any other: a type names the room it comes from.
 */
export function violations(files: Readonly<Record<string, string>>): string[] {
  const found: string[] = []
  for (const [path, source] of Object.entries(files)) {
    if (OUTSIDE.some((outside) => path === outside || path.startsWith(`${outside}/`))) continue
    const name = roomOf(path)
    const room = name === null ? undefined : ROOMS[name]
    if (name === null || room === undefined) {
      found.push(`${path} is in no room of the table`)
      continue
    }
    for (const specifier of importsOf(source)) {
      if (!allowed(path, name, room, specifier)) found.push(`${path} must not import ${specifier}`)
    }
  }
  return found
}

function roomOf(path: string): string | null {
  const holding = Object.keys(ROOMS).filter((room) => path.startsWith(`${room}/`))
  return holding.sort((a, b) => b.length - a.length)[0] ?? null
}

function allowed(path: string, name: string, room: Room, specifier: string): boolean {
  const isTest = isOfTests(path)
  if (specifier.startsWith('.')) {
    const target = resolveFrom(path, specifier)
    // A test may set the scene with any room of its own side; nothing else may lean on what is there for tests.
    if (isTest && sideOf(target) === sideOf(path)) return true
    if (!isTest && isOfTests(target)) return false
    return roomOf(target) === name || room.rooms.some((other) => target === other || roomOf(target) === other)
  }
  if (specifier.startsWith('node:')) {
    if (typeof room.node === 'boolean') return room.node
    return isTest || room.node.includes(specifier)
  }
  const packages = isTest ? [...room.packages, ...TEST_PACKAGES] : room.packages
  return packages.some((allowedName) => specifier === allowedName || specifier.startsWith(`${allowedName}/`))
}

function isOfTests(path: string): boolean {
  return /\.test\.tsx?$|\/testing\//.test(path)
}

function sideOf(path: string): string | undefined {
  return path.split('/')[0]
}

function resolveFrom(path: string, specifier: string): string {
  const parts = path.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

// Static imports and exports, `import()` and `require()`, with a literal name. Block comments and line comments that
// stand on their own are dropped first: prose about imports is not one.
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const IMPORT =
  /(?:^|[;}\n])\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"\n]+)['"]|\b(?:import|require)\(\s*['"]([^'"\n]+)['"]/g

/** The names a source file imports, in order. A query such as `?worker` is left out. */
export function importsOf(source: string): string[] {
  return [...source.replaceAll(COMMENT, '').matchAll(IMPORT)].map(
    (match) => (match[1] ?? match[2] ?? '').split('?')[0] ?? '',
  )
}
