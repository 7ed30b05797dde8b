/** The package has no types. Only tests use it. */
declare module 'js-yaml' {
  /** Throws on text that is not YAML. */
  export function load(text: string): unknown
}
