/** The package has no types of its own, and only tests use it. */
declare module 'js-yaml' {
  /** Throws on text that is not YAML. */
  export function load(text: string): unknown
}
