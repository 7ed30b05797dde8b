// Vitest's environment of component tests: one page for all files of a process. A page takes longer to create than most tests.
import { builtinEnvironments, type Environment } from 'vitest/runtime'

const { jsdom } = builtinEnvironments
const PAGE = Symbol.for('page of the component tests')

const page: Environment = {
  ...jsdom,
  name: 'shared-page',
  async setup(global, options) {
    if (!Reflect.has(globalThis, PAGE)) Reflect.set(globalThis, PAGE, await jsdom.setup(global, options))
    return { teardown() {} }
  },
}

export default page
